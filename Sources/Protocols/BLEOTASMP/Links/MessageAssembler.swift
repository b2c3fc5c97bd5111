/// Joins the pieces of SMP messages, whose headers state their lengths.
struct MessageAssembler {
    private var bytes: [UInt8] = []

    /// Takes the next piece and returns the messages that it completes.
    ///
    /// - Throws: ``Unreadable`` if the bytes can't be the beginning of a message. Nothing after
    ///   them can be understood.
    mutating func take(_ piece: [UInt8]) throws(Unreadable) -> [[UInt8]] {
        bytes += piece
        var messages: [[UInt8]] = []
        while bytes.count >= SMPHeader.byteCount {
            guard let header = SMPHeader(bytes) else { throw Unreadable() }
            let byteCount = SMPHeader.byteCount + header.contentByteCount
            if bytes.count < byteCount { break }
            messages.append(Array(bytes[..<byteCount]))
            bytes.removeFirst(byteCount)
        }
        return messages
    }

    struct Unreadable: Error {}
}
