import BlueZ
import Glibc

/// The address of an L2CAP socket over LE: `struct sockaddr_l2` of Linux.
///
/// ```
/// offset  length
///      0       2  family, 31
///      2       2  PSM, low byte first
///      4       6  device address, low byte first
///     10       2  channel ID, 0
///     12       1  type of the device address: 1 public, 2 random
///     13       1  unused
/// ```
struct L2CAPAddress {
    static let family: Int32 = 31

    private static let psmOffset = 2
    private static let deviceOffset = 4
    private static let typeOffset = 12
    private static let byteCount = 14
    private static let (publicType, randomType): (UInt8, UInt8) = (1, 2)

    private let bytes: [UInt8]

    /// - Parameters:
    ///   - isRandom: whether the device address is random.
    ///   - psm: 0 for the local end of a channel to be connected.
    init(_ device: BluetoothAddress, isRandom: Bool, psm: UInt16) {
        var bytes = [UInt8](repeating: 0, count: Self.byteCount)
        bytes[0] = UInt8(Self.family)
        bytes[Self.psmOffset] = UInt8(truncatingIfNeeded: psm)
        bytes[Self.psmOffset + 1] = UInt8(truncatingIfNeeded: psm >> 8)
        let octets = device.text.split(separator: ":").compactMap { UInt8($0, radix: 16) }
        bytes.replaceSubrange(
            Self.deviceOffset..<Self.deviceOffset + octets.count,
            with: octets.reversed()
        )
        bytes[Self.typeOffset] = isRandom ? Self.randomType : Self.publicType
        self.bytes = bytes
    }

    func bind(_ descriptor: Int32) -> Bool {
        withAddress { address, byteCount in Glibc.bind(descriptor, address, byteCount) == 0 }
    }

    /// Begins to connect. A result of 0 or `EINPROGRESS` in `errno` is not a failure.
    func connect(_ descriptor: Int32) -> Bool {
        withAddress { address, byteCount in
            Glibc.connect(descriptor, address, byteCount) == 0 || errno == EINPROGRESS
        }
    }

    private func withAddress<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        bytes.withUnsafeBytes { bytes in
            body(
                bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self),
                socklen_t(bytes.count)
            )
        }
    }

    /// Accepts a connection, and returns its descriptor and the address of the peer's device; `nil`
    /// if there is none.
    static func accept(from listener: Int32) -> (descriptor: Int32, peer: String)? {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        var length = socklen_t(byteCount)
        let descriptor = bytes.withUnsafeMutableBytes { bytes in
            Glibc.accept(
                listener,
                bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self),
                &length
            )
        }
        guard descriptor >= 0 else { return nil }
        let octets = bytes[deviceOffset..<deviceOffset + 6].reversed()
        return (descriptor, octets.map { String($0, radix: 16) }.joined(separator: ":"))
    }
}
