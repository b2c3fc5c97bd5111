package import FleetModel
package import NATS

/// What operators did, and what gateways claimed without a right to it, for people: a stream.
///
/// The end of a subject says whom an entry is about. With keys, the server lets an operator and a
/// console write about themselves only.
package struct AuditLog: Sendable {
    package static let stream = StreamName("fleet-audit")!

    /// Whom an entry is about.
    package enum Subject: Sendable, Hashable {
        case `operator`
        case console
        case gateway(GatewayID)

        var name: String {
            switch self {
            case .operator: "operator"
            case .console: "console"
            case .gateway(let id): id.text
            }
        }
    }

    /// An entry as it is stored.
    package struct Line: Sendable, Hashable {
        /// The end of its subject.
        package let about: String
        /// `nil` for what can't be read.
        package let entry: AuditEntry?
        /// When the server stored it, by its clock.
        package let moment: Moment
    }

    let connection: NATSConnection

    /// Makes the stream. A gateway that floods it only loses the oldest entries: 100,000 of up to
    /// 400 bytes are 40 MB.
    static func create(
        on connection: NATSConnection,
        replicas: ReplicaCount
    ) async throws(NATSError) {
        var configuration = StreamConfiguration(
            stream,
            subjects: [SubjectFilter(prefix + "*")!]
        )
        configuration.replicaCount = replicas
        configuration.messagesMax = 100_000
        configuration.byteCountMax = 64 << 20
        configuration.messageByteCountMax = 1_024
        configuration.isAppendOnly = true
        try await connection.createStream(configuration)
    }

    /// Adds an entry.
    ///
    /// - Parameters:
    ///   - sentence: what was done.
    ///   - author: who did it.
    package func add(
        _ sentence: String,
        by author: String = ThisProcess.description,
        about subject: Subject
    ) async throws(FleetStoreError) {
        let entry = AuditEntry(user: connection.user?.text, author: author, sentence)
        do {
            // A name is a token of up to 64 bytes.
            let subject = NATS.Subject(Self.prefix + subject.name)!
            _ = try await connection.store(entry.bytes, to: subject)
        } catch {
            throw .nats(error)
        }
    }

    /// Whom an entry of a command is about: an operator, or, with the console's key, the console.
    /// The server says what this user may write.
    package func ownSubject() async throws(FleetStoreError) -> Subject {
        do {
            let permissions = try await connection.request([], to: Self.permissions)
            let text = String(decoding: permissions, as: UTF8.self)
            return text.contains("\"\(Self.prefix)\(Subject.console.name)\"") ? .console : .operator
        } catch {
            throw .nats(error)
        }
    }

    /// Every user may ask a server for its own permissions here.
    private static let permissions = NATS.Subject("$SYS.REQ.USER.INFO")!
    private static let prefix = "fleet.audit."

    /// Reads the last entries, the oldest first.
    ///
    /// - Parameters:
    ///   - count: the most entries.
    ///   - body: gets each.
    package func read(
        last count: UInt64,
        _ body: (Line) -> Void
    ) async throws(FleetStoreError) {
        do throws(NATSError) {
            let state = try await connection.state(of: Self.stream)
            guard state.messageCount > 0 else { return }
            let end = state.lastSequence
            let start = max(state.firstSequence, end - min(end, count) + 1)
            guard start <= end else { return }
            for sequence in start...end {
                do throws(NATSError) {
                    body(Line(try await connection.message(at: sequence, of: Self.stream)))
                } catch {
                    // The stream is full, and this was the oldest.
                    guard error == .notFound else { throw error }
                }
            }
        } catch {
            throw .nats(error)
        }
    }
}

extension AuditLog.Line {
    init(_ message: ReadMessage) {
        about = message.subject.split(separator: ".").last.map(String.init) ?? ""
        entry = try? AuditEntry(from: message.payload)
        moment = Moment(nanoseconds: message.nanoseconds)
    }
}
