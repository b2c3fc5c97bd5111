import ArgumentParser
import FleetStore
import NATS

/// `bleota-fleet servers`.
struct ServersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "servers",
        abstract: "List the servers, and whether each has the whole store.",
        discussion: """
            Ends with 75 if a server does not answer, or has not caught up yet. So this waits, \
            after one was restarted:
              until bleota-fleet servers; do sleep 2; done
            """
    )

    @Flag(help: "Print each as a line of JSON.") var json = false
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await Command.run(on: server) { () async throws(ToolFailure) in
            let store = try await server.openStore(as: "bleota-fleet-servers")
            let shares: [ServerShare]
            do throws(FleetStoreError) { shares = try await store.servers } catch {
                throw ToolFailure(error)
            }
            guard !shares.isEmpty else { return showOnly() }
            if !json { Console.print(Table.line([("SERVER", 32)], "STORE")) }
            for share in shares { show(share) }
            if let failure = ToolFailure(shares) { throw failure }
        }
    }

    /// A server that is in no cluster has no name that clients know.
    private func showOnly() {
        let line = JSONObject("server").with("state", "complete")
        Console.print(json ? line.text : "the only server has the whole store")
    }

    private func show(_ share: ServerShare) {
        let line = JSONObject("server").with("server", share.name).with("state", share.state)
            .with("parts", UInt64(share.partCount))
            .with("completeParts", UInt64(share.completeCount))
            .with("ledParts", UInt64(share.ledCount))
        Console.print(json ? line.text : Table.line([(share.name, 32)], share.words))
    }
}

extension ServerShare {
    fileprivate var state: String {
        isSilent ? "silent" : isComplete ? "complete" : "behind"
    }

    fileprivate var words: String {
        if isSilent { return "silent" }
        guard isComplete else {
            return "behind, with \(completeCount) of \(partCount) parts complete"
        }
        return ledCount == 0 ? "complete" : "complete, leads \(ledCount) of \(partCount) parts"
    }
}

extension ToolFailure {
    /// What is to be done about servers that don't have everything; `nil` if all have.
    fileprivate init?(_ shares: [ServerShare]) {
        let silent = shares.filter(\.isSilent).map(\.name)
        guard silent.count * 2 < shares.count else {
            // Some parts still have a leader from before.
            self.init(
                .temporary,
                "the servers do not hear from one another yet; run the same command again in a few "
                    + "seconds"
            )
            return
        }
        guard silent.isEmpty else {
            let verb = silent.count == 1 ? "does" : "do"
            self.init(
                .temporary,
                "\(silent.joined(separator: ", ")) \(verb) not answer the other servers: look at "
                    + "each (systemctl status nats), and at the network between them"
            )
            return
        }
        let behind = shares.filter { !$0.isComplete }.map(\.name)
        guard !behind.isEmpty else { return nil }
        let verb = behind.count == 1 ? "has" : "have"
        self.init(
            .temporary,
            "\(behind.joined(separator: ", ")) \(verb) not caught up yet; run the same command "
                + "again before you stop another server"
        )
    }
}
