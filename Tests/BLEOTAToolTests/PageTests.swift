import ArgumentParser
import BLEOTATestSupport
import Testing

@testable import BLEOTATool

/// The commands that README.md and the pages in docs show.
///
/// A block of commands is fenced as ` ```console ` and runs here. With a second word it runs
/// elsewhere, or is only parsed: ``places`` says why.
@Suite("Pages", .timeLimit(.minutes(5)))
struct PageTests {
    /// Where the commands of a block run that can't run here.
    private static let places = [
        "bluetooth": "in a guest with two adapters (UsesPagesTests)",
        "serial": "nowhere: it needs a cable between two machines (SerialTests has one)",
        "pairing": "nowhere: it needs two bonded machines (PairingTests has them)",
        "others": "nowhere: it needs another maker's device (OtherDeviceTests has models of them)",
        "devices": "nowhere: it needs several devices (SeveralDevicesTests has them)",
        "peripheral": "nowhere: it needs another device (UsesConnectionTests has one)",
        "system": "nowhere: it installs packages or changes the machine",
        "fleet": "in a folder of its own (Fleet/scripts/page.sh)",
        "fleet-real": "nowhere: it needs the servers of a fleet (Fleet/Tests parse it)",
        "build": "nowhere: it builds the package, as stages of make check do",
    ]

    @Test("Every command runs and prints what its page shows", arguments: PageBlock.pages)
    func commands(page: String) async throws {
        let problems = try await PageRun.problems(of: page)
        for problem in problems { Issue.record("\(problem)") }
    }

    @Test("A call of the tool is in a block of commands, whose place is known")
    func fences() throws {
        for page in PageBlock.pages {
            for block in try PageBlock.all(of: page) {
                if block.language == "console" {
                    #expect(block.place == "" || Self.places[block.place] != nil, "\(block)")
                    #expect(try !PageCommand.all(in: block).isEmpty, "\(block)")
                } else {
                    let calls = block.lines.filter { $0.contains(#/^\s*(\$ )?(sudo )?bleota /#) }
                    #expect(calls.isEmpty, "\(block): its fence is not ```console")
                }
            }
            // Indentation makes a block as well.
            let indented = try Repository.text(of: page).split(separator: "\n")
                .filter { $0.contains(#/^(    |\t)\s*(\$ )?(sudo )?bleota /#) }
            #expect(indented.isEmpty, "\(page)")
        }
    }

    @Test("The tool takes every call, also where it can't run")
    func calls() throws {
        var count = 0
        for line in try allCommands().map(\.text) + unitCommands() {
            for call in PageCall.all(in: line) {
                count += 1
                #expect(throws: Never.self, "\(line)") { try parse(call) }
            }
        }
        #expect(count > 50)
    }

    @Test("Targets of make and scripts exist")
    func otherCommands() throws {
        let makefile = try Repository.text(of: "Makefile")
        for command in try allCommands() {
            for target in command.text.matches(of: #/\bmake ([a-z][a-z-]*)/#) {
                let exists = makefile.contains("\n\(target.1):")
                #expect(exists, "\(command)")
            }
            for script in command.text.matches(of: #/\b(scripts|Embedded)\/[\w\/-]+\.sh/#) {
                #expect(Repository.exists(String(script.0)), "\(command)")
            }
        }
    }

    @Test("Every option that a sentence or a table names is one of a command")
    func options() throws {
        let known = Set(
            Self.commands(of: Bleota.self)
                .flatMap { command in
                    Bleota.helpMessage(for: command).matches(of: #/--[a-z][a-z0-9-]*/#)
                        .map { String($0.0) }
                }
        ).union(["--version", "--help"])
        for page in PageBlock.pages {
            let text = try Repository.text(of: page)
            for span in text.matches(of: #/`((?:bleota |push |receive |pull |--)[^`\n]*)`/#) {
                for option in span.1.matches(of: #/(?:^|[^\w-])(--[a-z][a-z0-9-]*)/#) {
                    #expect(known.contains(String(option.1)), "\(page): \(span.1)")
                }
            }
        }
    }

    // MARK: - The reference

    @Test("The reference has every command in its table, and no other")
    func reference() throws {
        let rows = try rows(below: "Commands")
        let told = rows.flatMap { $0.matches(of: #/`bleota ((?:key |device )?[a-z]+)/#) }
            .map { String($0.1) }
        let groups: [any ParsableCommand.Type] = [KeyCommand.self, DeviceCommand.self]
        let names = Self.commands(of: Bleota.self).dropFirst()
            .filter { $0.configuration.subcommands.isEmpty }
            .map { command in
                let group = groups.first {
                    $0.configuration.subcommands.contains { $0 == command }
                }
                return (group.map { "\($0._commandName) " } ?? "") + command._commandName
            }
        #expect(Set(told) == Set(names))
    }

    @Test("The reference has every exit code, as the help has")
    func exitCodes() throws {
        let told = try rows(below: "Exit codes").flatMap { row in
            row.dropFirst().prefix { $0 != "|" }.matches(of: #/\d+/#).map { String($0.0) }
        }
        let help = Bleota.configuration.discussion.matches(of: #/(?:^|\n) *(\d+) +\w/#)
        #expect(told == help.map { String($0.1) })
    }

    // MARK: - Helpers

    private func allCommands() throws -> [PageCommand] {
        try PageBlock.pages.flatMap(PageBlock.all).filter { $0.language == "console" }
            .flatMap(PageCommand.all)
    }

    /// What units of systemd start.
    private func unitCommands() throws -> [String] {
        try PageBlock.pages.flatMap(PageBlock.all).filter { $0.language == "ini" }.flatMap(\.lines)
            .filter { $0.hasPrefix("ExecStart=") }
            .map { $0.replacing(#/^ExecStart=\/usr\/local\/bin\//#, with: "") }
    }

    private func rows(below heading: String) throws -> [Substring] {
        let lines = try Repository.text(of: "docs/reference.md")
            .split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex(of: "## \(heading)"[...]))
        return lines[(start + 1)...].prefix { !$0.hasPrefix("## ") }.filter { $0.hasPrefix("| ") }
            .dropFirst(2).map { $0 }
    }

    private func parse(_ arguments: [String]) throws {
        guard arguments != ["--version"] else { return }
        do {
            _ = try Bleota.parseAsRoot(arguments)
        } catch {
            // A call may ask for help.
            guard Bleota.exitCode(for: error) != .success else { return }
            throw PageProblem(Bleota.fullMessage(for: error))
        }
    }

    /// A command, its subcommands and theirs.
    private static func commands(
        of command: any ParsableCommand.Type
    ) -> [any ParsableCommand.Type] {
        [command] + command.configuration.subcommands.flatMap(commands)
    }
}

/// The calls of the tool in a line for a shell.
enum PageCall {
    private static let wrappers: Set = ["sudo", "timeout", "nohup"]

    /// The arguments of each call, without the name of the tool.
    static func all(in line: String) -> [[String]] {
        pieces(of: line).compactMap { words in
            guard let first = words.first, let name = words.firstIndex(of: "bleota"),
                name == 0 || wrappers.contains(first)
            else { return nil }
            return Array(words[(name + 1)...])
        }
    }

    /// The words between two operators. A redirection ends a piece, too.
    private static func pieces(of line: String) -> [[String]] {
        var pieces: [[String]] = [[]]
        var word: String?
        var quote: Character?
        func endWord() {
            if let ended = word { pieces[pieces.count - 1].append(ended) }
            word = nil
        }
        for character in line {
            switch character {
            case quote: quote = nil
            case _ where quote != nil: word?.append(character)
            case "'", "\"":
                quote = character
                word = word ?? ""
            case " ": endWord()
            case "|", "&", ";", "<", ">":
                endWord()
                pieces.append([])
            case "#" where word == nil: return pieces
            default: word = (word ?? "") + String(character)
            }
        }
        endWord()
        return pieces
    }
}
