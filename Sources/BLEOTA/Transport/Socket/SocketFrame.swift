/// The packets on the socket: one byte for the kind, then the payload.
///
/// ```
/// kind                        payload
/// hello                       magic "BLEO", version, ATT_MTU in two bytes, low byte first
/// control, data, …            1 to 512 bytes
/// response                    none; for the oldest unanswered frame sent with response
/// barrier, barrierAnswer      none; answered once everything before it is queued
/// closing                     one byte of ``Farewell``
/// ```
///
/// Each end sends `hello` first and exactly once. The link uses the smaller of the two ATT_MTUs.
enum SocketFrame {
    enum Kind: UInt8, Sendable, CaseIterable {
        case hello = 0x01
        case control = 0x02
        case controlWithResponse = 0x03
        case data = 0x04
        case dataWithResponse = 0x05
        case response = 0x06
        case barrier = 0x07
        case barrierAnswer = 0x08
        case closing = 0x09

        init(_ channel: Datagram.Channel, _ delivery: Datagram.Delivery) {
            switch (channel, delivery) {
            case (.control, .withoutResponse): self = .control
            case (.control, .withResponse): self = .controlWithResponse
            case (.data, .withoutResponse): self = .data
            case (.data, .withResponse): self = .dataWithResponse
            }
        }
    }

    /// Why the peer closed the link: because of an overflow, or for any other reason.
    enum Farewell: UInt8, Sendable {
        case gone = 0
        case overflow = 1

        init(_ reason: CloseReason) {
            self = reason.seenByPeer == .overflow ? .overflow : .gone
        }

        var closeReason: CloseReason { self == .overflow ? .overflow : .remote }
    }

    /// The maximum length of a packet: one byte for the kind, and the longest attribute value.
    static let byteCountMax = 1 + 512

    static let version: UInt8 = 1
    private static let magic = Array("BLEO".utf8)
    private static let helloByteCount = 1 + magic.count + 1 + 2

    static func helloPayload(attMTU: Int) -> [UInt8] {
        magic + [
            version, UInt8(truncatingIfNeeded: attMTU), UInt8(truncatingIfNeeded: attMTU >> 8),
        ]
    }

    /// Parses the first datagram of a peer.
    ///
    /// - Returns: the ATT_MTU that the peer announces, even if it is out of range.
    static func parseHello(_ bytes: some Collection<UInt8>) throws(SocketError) -> Int {
        let bytes = Array(bytes)
        guard bytes.count > magic.count + 1, bytes[0] == Kind.hello.rawValue,
            bytes[1...].starts(with: magic)
        else {
            throw .peerNotUnderstood(
                "The peer does not use this link protocol: its first datagram, of \(bytes.count) "
                    + "bytes, is not a hello."
            )
        }
        let peersVersion = bytes[magic.count + 1]
        guard peersVersion == version else {
            throw .peerNotUnderstood(
                "The peer uses version \(peersVersion) of the link protocol, but this end uses "
                    + "version \(version); update whichever is older."
            )
        }
        guard bytes.count == helloByteCount else {
            throw .peerNotUnderstood(
                "The peer's hello is \(bytes.count) bytes long, but a hello of version \(version) "
                    + "has \(helloByteCount) bytes."
            )
        }
        return Int(bytes[helloByteCount - 2]) | Int(bytes[helloByteCount - 1]) << 8
    }
}
