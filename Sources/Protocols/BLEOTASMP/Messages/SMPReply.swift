/// A reply from a device.
package struct SMPReply: Sendable, Hashable {
    package let header: SMPHeader
    /// The content, a map. Unknown keys are ignored.
    package let content: CBORValue

    /// Parses a whole message.
    ///
    /// - Returns: `nil` if the message is not a reply, or if its content is not a CBOR map.
    package init?(_ packet: [UInt8]) {
        guard let header = SMPHeader(packet),
            header.operation == .readReply || header.operation == .writeReply,
            packet.count == SMPHeader.byteCount + header.contentByteCount,
            let content = try? CBORReader.read(packet[SMPHeader.byteCount...]),
            case .map = content
        else { return nil }
        self.header = header
        self.content = content
    }

    /// Whether this is the reply with the header that ``SMPRequest/expectedReply(sequence:)``
    /// returned.
    package func answers(_ request: SMPHeader) -> Bool {
        header.operation == request.operation && header.group == request.group
            && header.command == request.command && header.sequence == request.sequence
    }

    /// The error that the reply reports; `nil` if the request succeeded.
    package var error: SMPError? {
        if let error = content["err"], let code = error["rc"]?.integer, code != 0 {
            let group = error["group"]?.integer.map { Int(clamping: $0) }
            return SMPError(group: group, code: Int(clamping: code))
        }
        if let code = content["rc"]?.integer, code != 0 {
            return SMPError(group: nil, code: Int(clamping: code))
        }
        return nil
    }
}
