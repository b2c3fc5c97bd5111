import CNATS

/// A message of libnats, which is freed with this.
struct CMessage: ~Copyable {
    private let pointer: OpaquePointer

    /// Takes over a message that libnats made.
    init(owning pointer: OpaquePointer) { self.pointer = pointer }

    /// Makes a message to be sent.
    static func make(_ publication: Publication) throws(NATSError) -> CMessage {
        let payload = publication.payload
        var created: OpaquePointer?
        try NATSError.check(
            natsMsg_Create(&created, publication.subject, nil, payload, Int32(payload.count))
        )
        guard let created else { throw .failed("no message") }
        let message = CMessage(owning: created)
        for (name, value) in publication.headers {
            try NATSError.check(natsMsgHeader_Set(created, name, value))
        }
        return message
    }

    deinit { natsMsg_Destroy(pointer) }

    func withPointer<Value>(_ body: (OpaquePointer) -> Value) -> Value { body(pointer) }

    var payload: [UInt8] {
        let count = Int(natsMsg_GetDataLength(pointer))
        guard count > 0, let bytes = natsMsg_GetData(pointer) else { return [] }
        return Array(UnsafeRawBufferPointer(start: bytes, count: count))
    }

    var subject: String { natsMsg_GetSubject(pointer).map { String(cString: $0) } ?? "" }

    /// The place in the stream, of a message that was asked for by its subject.
    var sequence: UInt64 { natsMsg_GetSequence(pointer) }
    /// When that was stored: nanoseconds since 1970.
    var nanoseconds: Int64 { natsMsg_GetTime(pointer) }

    func header(_ name: String) -> String? {
        var value: UnsafePointer<CChar>?
        guard natsMsgHeader_Get(pointer, name, &value) == NATS_OK, let value else { return nil }
        return String(cString: value)
    }

    /// To what a message that was delivered, or a request, is answered.
    var answerSubject: String { natsMsg_GetReply(pointer).map { String(cString: $0) } ?? "" }

    /// Whether it says that a key of a bucket was deleted.
    var isDeletion: Bool {
        // A client writes the first of these, the server the second.
        ["DEL", "PURGE"].contains(header("KV-Operation")) || header("Nats-Marker-Reason") != nil
    }

    /// Where a delivered message comes from.
    func delivery() throws(NATSError) -> Delivery {
        var data: UnsafeMutablePointer<jsMsgMetaData>?
        try NATSError.check(natsMsg_GetMetaData(&data, pointer))
        guard let data else { throw .failed("a message without its place in the stream") }
        defer { jsMsgMetaData_Destroy(data) }
        return Delivery(
            sequence: data.pointee.Sequence.Stream,
            number: data.pointee.Sequence.Consumer,
            nanoseconds: data.pointee.Timestamp,
            count: data.pointee.NumDelivered,
            laterCount: data.pointee.NumPending
        )
    }

    /// A delivery of a message of a stream.
    struct Delivery: Sendable {
        /// The place in the stream.
        let sequence: UInt64
        /// The number among the deliveries to the same consumer, from 1.
        let number: UInt64
        /// When the server stored it, by its clock: nanoseconds since 1970.
        let nanoseconds: Int64
        /// The number of times it has been delivered: 1 for the first time.
        let count: UInt64
        /// The number of messages that the stream has after it for the same consumer.
        let laterCount: UInt64
    }
}
