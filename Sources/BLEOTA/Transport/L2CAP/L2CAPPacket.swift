/// The packets on an L2CAP channel (spec/bleota.md, section 10.4).
///
/// ```
/// length   2 bytes, low byte first: of the kind and the payload
/// kind     1 byte, as on a Unix socket
/// payload
/// ```
enum L2CAPPacket {
    private static let lengthByteCount = 2
    /// The length and the kind.
    static let headerByteCount = lengthByteCount + 1

    /// The length of the longest frame on a channel whose SDUs are at most this long, up to 512
    /// bytes.
    static func frameByteCountMax(sduByteCountMax: Int) -> Int {
        min(sduByteCountMax - headerByteCount, 512)
    }

    static func append(_ kind: SocketFrame.Kind, _ payload: [UInt8], to sdu: inout [UInt8]) {
        let byteCount = 1 + payload.count
        sdu.append(UInt8(truncatingIfNeeded: byteCount))
        sdu.append(UInt8(truncatingIfNeeded: byteCount >> 8))
        sdu.append(kind.rawValue)
        sdu += payload
    }

    /// Passes the complete packets at the start of `bytes` to `body`.
    ///
    /// - Parameter byteCountMax: the largest length that a packet may state.
    /// - Returns: the total length of those packets. The remaining bytes are the beginning of
    ///   another packet.
    /// - Throws: any error that `body` throws, or a violation if a length is out of range.
    static func forEach(
        in bytes: UnsafeRawBufferPointer,
        byteCountMax: Int,
        _ body: (
            _ kind: UInt8, _ payload: UnsafeRawBufferPointer
        ) throws(SocketReader.Ending) -> Void
    ) throws(SocketReader.Ending) -> Int {
        var offset = 0
        while bytes.count - offset >= lengthByteCount {
            let byteCount = Int(bytes[offset]) | Int(bytes[offset + 1]) << 8
            guard (1...byteCountMax).contains(byteCount) else {
                throw .violation(
                    "The peer sent a packet of \(byteCount) bytes, but 1 to \(byteCountMax) are "
                        + "allowed."
                )
            }
            let start = offset + lengthByteCount
            guard bytes.count - start >= byteCount else { break }
            try body(
                bytes[start],
                UnsafeRawBufferPointer(rebasing: bytes[start + 1..<start + byteCount])
            )
            offset = start + byteCount
        }
        return offset
    }
}
