import NATS

/// Which servers answer, asked one by one when there is no leader.
struct Quorum: Sendable {
    /// In the order in which they were named.
    let answering: [ServerAddress]
    let silent: [ServerAddress]

    var count: Int { answering.count + silent.count }
    /// Whether enough of them answer to choose a leader.
    var isMajority: Bool { answering.count > count / 2 }

    /// Asks each of the servers; `nil` if there is only one, which was asked already.
    static func answers(of options: ConnectionOptions) async -> Quorum? {
        guard options.servers.count > 1 else { return nil }
        let answering = await withTaskGroup(of: ServerAddress?.self) { group in
            for server in options.servers {
                group.addTask { [options] in
                    var options = options
                    options.servers = [server]
                    guard let connection = try? await NATSConnection.open(options) else {
                        return nil
                    }
                    connection.close()
                    return server
                }
            }
            return await group.reduce(into: Set<ServerAddress>()) { set, server in
                if let server { set.insert(server) }
            }
        }
        return Quorum(
            answering: options.servers.filter { answering.contains($0) },
            silent: options.servers.filter { !answering.contains($0) }
        )
    }
}

extension NATSError {
    /// Whether a cluster without a leader fails like this.
    var isLackOfLeader: Bool { [.timeout, .noLeader, .nobodyAnswers, .silent].contains(self) }
}

extension ToolFailure {
    init(_ quorum: Quorum) {
        let places = quorum.silent.map(\.description).joined(separator: ", ")
        guard !quorum.isMajority else {
            let others =
                switch quorum.silent.count {
                case 0: ""
                case 1: "\(places) does not answer; "
                default: "\(places) do not answer; "
                }
            self.init(
                .temporary,
                "\(quorum.answering.count) of \(quorum.count) servers answer, but they have no "
                    + "leader yet; \(others)run the same command again in a few seconds; if it "
                    + "stays so, look at the log of each server (journalctl --unit nats) for "
                    + "routes that fail"
            )
            return
        }
        self.init(
            .unavailable,
            "\(quorum.silent.count) of \(quorum.count) servers do not answer: \(places); nothing is "
                + "decided before most of them run and reach one another: look at each "
                + "(systemctl status nats), and at the network between them; if this command was to "
                + "change something, that may still happen then"
        )
    }
}
