import BLEOTATestSupport
import Foundation
import Testing

/// Every text that the tool can print is in one file, to be read and reviewed as a whole.
@Suite("Messages", .timeLimit(.minutes(2)))
struct MessageTests {
    private static let path = "Tests/BLEOTAToolTests/Messages.txt"
    private static let command =
        "BLEOTA_UPDATE=1 swift test --enable-all-traits --filter MessageTests"

    /// The modules that the tool consists of.
    private static let modules = [
        "BLEOTATool", "BLEOTA", "BLEOTABlueZ", "BLEOTACore", "BLEOTAManifest", "BLEOTASimulation",
        "Protocols",
        "BLEOTAWire", "BlueZ", "DBus",
    ]

    /// Names that the Bluetooth SIG assigned, and pages that only tests write.
    private static let omitted = ["/Names/", "BLEOTASimulation/WriteModes/"]

    @Test("The file of messages has all texts of the sources, as they are")
    func messages() throws {
        var text = "Texts that the tool can print. To write this file anew: \(Self.command)\n"
        for module in Self.modules {
            for path in Repository.files(below: "Sources/\(module)", ending: ".swift")
            where !Self.omitted.contains(where: { path.contains($0) }) {
                let messages = try SourceLiteral.all(of: path).filter(Self.isMessage)
                if messages.isEmpty { continue }
                text += "\n\(path.dropFirst("Sources/".count))\n"
                for message in messages { text += Self.entry(message.text) }
            }
        }
        if ProcessInfo.processInfo.environment["BLEOTA_UPDATE"] != nil {
            try text.write(
                toFile: Repository.path(of: Self.path),
                atomically: true,
                encoding: .utf8
            )
        }
        let isSame = try Repository.text(of: Self.path) == text
        #expect(isSame, "texts have changed; write \(Self.path) anew with \(Self.command)")
    }

    @Test("No sentence of the library names a command or an option of the tool")
    func neutral() throws {
        let words =
            #/bleota (?:push|receive|pull|key|sign|verify|show|scan|inspect|bench|device)|--[a-z]/#
        for module in Self.modules where module != "BLEOTATool" {
            for path in Repository.files(below: "Sources/\(module)", ending: ".swift") {
                for literal in try SourceLiteral.all(of: path) where Self.isMessage(literal) {
                    // A page that tests write says with which command.
                    guard !literal.text.contains("swift test") else { continue }
                    #expect(!literal.text.contains(words), "\(path): \(literal.text)")
                }
            }
        }
    }

    /// Whether a literal is text for users: two words at least, and not for programmers.
    private static func isMessage(_ literal: SourceLiteral) -> Bool {
        let words = literal.text.split { $0 == " " || $0 == "\n" }
        guard words.count > 1, literal.text.contains(where: \.isLetter) else { return false }
        return !isPrecondition(literal.context)
    }

    /// Whether a precondition is open at the end of a text.
    private static func isPrecondition(_ text: Substring) -> Bool {
        for name in ["precondition(", "preconditionFailure("] {
            guard let start = text.ranges(of: name).last else { continue }
            var depth = 1
            for character in text[start.upperBound...] {
                if character == "(" { depth += 1 }
                if character == ")" { depth -= 1 }
                if depth == 0 { break }
            }
            if depth > 0 { return true }
        }
        return false
    }

    /// A message as lines of the file, each indented.
    private static func entry(_ text: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let depth =
            lines.dropFirst().filter { $0.contains { $0 != " " } }
            .map { $0.prefix { $0 == " " }.count }.min() ?? 0
        let entry = lines.enumerated().map { index, line in
            let text = index == 0 || lines.count == 1 ? line : line.dropFirst(depth)
            return "    \(index == 0 ? "- " : "  ")\(text)"
        }
        return entry.map { line in
            var line = line[...]
            while line.last == " " { line.removeLast() }
            return line + "\n"
        }.joined()
    }
}
