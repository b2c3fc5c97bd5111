import ArgumentParser
import FleetModel
import FleetStore
import FleetText

/// `bleota-fleet audit`.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Show what operators did, and what gateways claimed without a right to it.",
        discussion: """
            Each line has the time by the server's clock in UTC, whom it is about, what was done, \
            and who says so. The server lets a user write under its own name only, if it has keys \
            for its users (bleota-fleet init configuration).
            """
    )

    @Option(
        help: ArgumentHelp(
            "Show the last COUNT entries, up to 100000; 100 by default.",
            valueName: "COUNT"
        ),
        transform: Self.count
    )
    var last: UInt64 = 100

    @Flag(help: "Print each as a line of JSON.") var json = false
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await Command.run(on: server) { () async throws(ToolFailure) in
            let store = try await server.openStore(as: "bleota-fleet-audit")
            var isEmpty = true
            do throws(FleetStoreError) {
                try await store.audit.read(last: last) { line in
                    isEmpty = false
                    Console.print(json ? Self.object(line).text : Self.words(line))
                }
            } catch {
                throw ToolFailure(error)
            }
            guard isEmpty, !json else { return }
            Console.printError("there are no entries yet")
        }
    }

    private static func words(_ line: AuditLog.Line) -> String {
        let cells = [(text: line.moment.text, width: 19), (line.about, 16)]
        let news = line.entry.map { "\($0.sentence) (\($0.author))" }
        return Table.line(cells, (news ?? unreadable).printable)
    }

    private static func object(_ line: AuditLog.Line) -> JSONObject {
        let object = JSONObject("auditEntry").with("time", line.moment.timestamp)
            .with("about", line.about).with("detail", line.entry?.sentence ?? unreadable)
        guard let entry = line.entry else { return object }
        let named = object.with("author", entry.author)
        return entry.user.map { named.with("user", $0) } ?? named
    }

    private static let unreadable = "an entry that can't be read"

    private static func count(_ text: String) throws -> UInt64 {
        guard let count = UInt64(text), (1...100_000).contains(count) else {
            throw ValidationError("there are 1 to 100000 entries, not '\(text)'")
        }
        return count
    }
}

extension String {
    /// The text on one line, and without what a terminal would obey: others wrote it.
    fileprivate var printable: String {
        String(String.UnicodeScalarView(unicodeScalars.filter { !$0.properties.isControl }))
    }
}

extension Unicode.Scalar.Properties {
    fileprivate var isControl: Bool { generalCategory == .control }
}
