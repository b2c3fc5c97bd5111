import ArgumentParser
import BLEOTATestSupport
import Testing

@testable import BLEOTATool

/// The help of every command: its size, its order and its examples.
@Suite("Help", .timeLimit(.minutes(2)))
struct HelpTests {
    private static let columnCountMax = 80
    /// A screen of 24 lines.
    private static let screenLineCount = 24

    /// The words that lead to each command, the tool itself among them.
    static let paths: [[String]] = {
        func below(_ command: any ParsableCommand.Type, _ words: [String]) -> [[String]] {
            [words]
                + command.configuration.subcommands.flatMap { command in
                    below(command, words + [command.configuration.commandName ?? ""])
                }
        }
        return below(Bleota.self, [])
    }()

    private static func help(_ words: [String]) -> [String] {
        var command: any ParsableCommand.Type = Bleota.self
        for word in words {
            guard
                let next = command.configuration.subcommands.first(where: {
                    $0.configuration.commandName == word
                })
            else { return [] }
            command = next
        }
        let text = Bleota.helpMessage(for: command, columns: columnCountMax)
        return HelpText.arranged(text).split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
    }

    /// The examples in a help, with lines joined that a backslash ends.
    private static func examples(in help: [String]) -> [String] {
        var examples: [String] = []
        for line in help.drop(while: { $0 != "EXAMPLES:" && $0 != "EXAMPLE:" }).dropFirst()
            .prefix(while: { !$0.isEmpty })
        {
            if let last = examples.last, last.hasSuffix("\\") {
                examples[examples.count - 1] = String(last.dropLast() + line.drop { $0 == " " })
            } else {
                examples.append(String(line.drop { $0 == " " }))
            }
        }
        return examples
    }

    @Test("There are commands, and commands of commands")
    func commandsExist() {
        #expect(Self.paths.count > 17)
        #expect(Self.paths.contains(["key", "generate"]))
    }

    @Test("No line is wider than 80 columns", arguments: HelpTests.paths)
    func width(words: [String]) {
        let help = Self.help(words)
        #expect(!help.isEmpty)
        for line in help { #expect(line.count <= Self.columnCountMax, "\(line)") }
    }

    @Test(
        "The first screen has the usage, an example and all main options",
        arguments: HelpTests.paths
    )
    func firstScreen(words: [String]) {
        let screen = Self.help(words).prefix(Self.screenLineCount)
        #expect(screen.contains { $0.hasPrefix("USAGE: bleota") })
        #expect(screen.contains { $0 == "EXAMPLE:" || $0 == "EXAMPLES:" })
        #expect(screen.contains { $0.hasPrefix("  -h, --help ") }, "\(screen)")
    }

    @Test("The parser takes every example", arguments: HelpTests.paths)
    func examples(words: [String]) throws {
        let examples = Self.examples(in: Self.help(words))
        #expect(!examples.isEmpty)
        let name = (["bleota"] + words).joined(separator: " ")
        for example in examples {
            #expect("\(example) ".hasPrefix("\(name) "))
            let arguments = example.split(separator: " ").map(String.init)
                .filter { !$0.hasPrefix(">") }
            #expect(throws: Never.self, "\(example)") {
                _ = try Bleota.parseAsRoot(Array(arguments.dropFirst()))
            }
        }
    }

    @Test(
        "Each line of a usage begins with the command or continues one",
        arguments: HelpTests.paths
    )
    func usage(words: [String]) {
        let usage = Self.help(words).drop { !$0.hasPrefix("USAGE:") }.prefix { !$0.isEmpty }
        let name = (["bleota"] + words).joined(separator: " ")
        for line in usage {
            let text = line.drop { $0 == " " }
            #expect(
                text.hasPrefix("USAGE: \(name)") || text.hasPrefix(name) || line.hasPrefix("    "),
                "\(line)"
            )
        }
    }

    @Test("Without arguments there is one screen with a line for each command")
    func short() async throws {
        let result = try await ToolDirectory().run()
        #expect(result.status == 0)
        let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
            .dropLast()
        #expect(lines.count <= Self.screenLineCount)
        #expect(lines.allSatisfy { $0.count <= Self.columnCountMax })
        for command in Self.paths where command.count == 1 {
            #expect(lines.contains { $0.hasPrefix("  \(command[0]) ") }, "\(command[0])")
        }
    }
}
