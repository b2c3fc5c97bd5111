import BLEOTA
import BLEOTACore
import BLEOTATestSupport

@testable import BLEOTASMP

/// A conversation with the machine of a server over a store in memory.
struct ServerTalk: ~Copyable {
    var server = SMPServer(
        identity: ServerIdentity(facts: [.init("s", "Linux"), .init("n", "lamp")]),
        imageByteCountMax: 100_000
    )
    private var now = Instant(microseconds: 1)
    private var sequence: UInt8 = 0
    /// The tasks that the machine gave to the store.
    private(set) var tasks: [ServerTask] = []
    /// The uploads in the store.
    var uploads: [UploadID: [UInt8]] = [:]
    var slots: [ImageSlot] = []
    var failure: SMPError?
    /// Whether the store answers.
    var isStoreBusy = false

    /// Sends a request and returns the replies.
    mutating func send(
        _ operation: SMPHeader.Operation = .write,
        group: UInt16,
        _ command: UInt8,
        _ pairs: [CBORPair] = [],
        version: UInt8 = 1
    ) -> [SMPReply] {
        var writer = CBORWriter()
        writer.write(.map(pairs))
        sequence &+= 1
        let header = SMPHeader(
            operation,
            version: version,
            group: group,
            command: command,
            sequence: sequence,
            contentByteCount: writer.bytes.count
        )
        return send(raw: header.bytes + writer.bytes)
    }

    /// Sends bytes in pieces of this length.
    mutating func send(raw bytes: [UInt8], pieceByteCount: Int = .max) -> [SMPReply] {
        var replies: [SMPReply] = []
        var rest = bytes[...]
        repeat {
            now = now + .milliseconds(1)
            let piece = rest.prefix(pieceByteCount)
            rest = rest.dropFirst(piece.count)
            let actions = server.received(Array(piece), at: now)
            replies += perform(actions)
        } while !rest.isEmpty
        return replies
    }

    mutating func wait(_ span: Microseconds) { now = now + span }

    /// The store answers the task that it was given while it was busy.
    mutating func answer(_ answer: ServerAnswer) -> [SMPReply] {
        let actions = server.answered(answer)
        return perform(actions)
    }

    private mutating func perform(_ actions: [ServerAction]) -> [SMPReply] {
        var actions = actions
        var replies: [SMPReply] = []
        while !actions.isEmpty {
            switch actions.removeFirst() {
            case .reply(let packet):
                // A reply that the client's reader does not take is missing in the result.
                if let reply = SMPReply(packet) { replies.append(reply) }
            case .perform(let task):
                tasks.append(task)
                if isStoreBusy { continue }
                actions = server.answered(answer(to: task)) + actions
            }
        }
        return replies
    }

    private mutating func answer(to task: ServerTask) -> ServerAnswer {
        if let failure { return .failed(failure) }
        switch task {
        case .begin(let id, _, _):
            let held = uploads[id, default: []]
            uploads[id] = held
            return .offset(held.count)
        case .append(let bytes, let id, let offset):
            guard let held = uploads[id] else { return .offset(nil) }
            if held.count == offset { uploads[id] = held + bytes }
            return .offset(uploads[id]?.count)
        case .finish: return .finished(isMatch: true)
        case .abandon(let id):
            uploads[id] = nil
            return .done
        case .slots: return .slots(slots)
        case .mark, .confirmRunning, .erase, .restart: return .done
        }
    }
}

extension SMPReply {
    var offset: Int64? { content["off"]?.integer }
}
