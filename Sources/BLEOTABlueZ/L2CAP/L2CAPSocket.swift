import BLEOTA
import BlueZ
import Glibc
import SystemPackage

/// The system calls for LE credit-based channels of L2CAP.
enum L2CAPSocket {
    /// SOL_BLUETOOTH and its options (`include/net/bluetooth/bluetooth.h` of Linux).
    private static let level: Int32 = 274
    private static let securityOption: Int32 = 4
    private static let sendMTUOption: Int32 = 12
    private static let receiveMTUOption: Int32 = 13
    /// BTPROTO_L2CAP.
    private static let protocolNumber: Int32 = 0
    /// The smallest MTU of such a channel (Bluetooth Core 5.4, volume 3, part A, 4.22).
    private static let mtuMin: UInt16 = 23
    /// The largest receive buffer that any process may ask for; the kernel doubles it.
    private static let receiveBufferByteCount: Int32 = 212_992

    /// Creates a socket that never blocks and isn't inherited, at an adapter.
    ///
    /// - Parameters:
    ///   - psm: the PSM to listen on; 0 to connect.
    ///   - security: the security that the link must have.
    static func make(
        on adapter: Adapter,
        psm: UInt16,
        _ security: LinkSecurity
    ) throws(SocketError) -> Int32 {
        guard let address = adapter.address else {
            throw .system(call: "bind", .noSuchAddressOrDevice)
        }
        let type = SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
        let descriptor = socket(L2CAPAddress.family, Int32(type), protocolNumber)
        if descriptor < 0 { throw .system(call: "socket", SocketCalls.lastErrno) }
        let own = L2CAPAddress(address, isRandom: adapter.hasRandomAddress, psm: psm)
        var mtu = UInt16(L2CAPTransport.sduByteCountMax)
        // struct bt_security: the level, and a key size that is left to the kernel.
        var level: (UInt8, UInt8) = (security.l2capLevel, 0)
        guard own.bind(descriptor), set(descriptor, receiveMTUOption, &mtu),
            set(descriptor, securityOption, &level)
        else {
            let errno = SocketCalls.lastErrno
            _ = Glibc.close(descriptor)
            throw .system(call: "bind", errno)
        }
        return descriptor
    }

    private static func set<Value: BitwiseCopyable>(
        _ descriptor: Int32,
        _ option: Int32,
        _ value: inout Value
    ) -> Bool {
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Value>.size)) == 0
    }

    /// The error of a connection attempt; `nil` if the connection is up.
    static func error(of descriptor: Int32) -> Errno? {
        var number: Int32 = 0
        var length = socklen_t(MemoryLayout.size(ofValue: number))
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &length) == 0 else {
            return SocketCalls.lastErrno
        }
        return number == 0 ? nil : Errno(rawValue: number)
    }

    /// Makes a transport from a connected channel, and takes over the descriptor.
    static func transport(
        _ descriptor: Int32,
        attMTUMax: Int
    ) throws(SocketError) -> L2CAPTransport {
        var mtu: UInt16 = 0
        var length = socklen_t(MemoryLayout.size(ofValue: mtu))
        guard getsockopt(descriptor, level, sendMTUOption, &mtu, &length) == 0 else {
            let errno = SocketCalls.lastErrno
            _ = Glibc.close(descriptor)
            throw .system(call: "getsockopt", errno)
        }
        guard mtu >= mtuMin else {
            _ = Glibc.close(descriptor)
            throw .peerNotUnderstood("The peer accepts only SDUs of up to \(mtu) bytes.")
        }
        var byteCount = receiveBufferByteCount
        _ = setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &byteCount, socklen_t(4))
        return try L2CAPTransport.start(
            descriptor,
            sending: Int(mtu),
            attMTUMax: attMTUMax
        )
    }
}

extension LinkSecurity {
    /// BT_SECURITY_LOW, _MEDIUM and _HIGH.
    fileprivate var l2capLevel: UInt8 {
        switch self {
        case .open: 1
        case .encrypted: 2
        case .authenticated: 3
        }
    }
}
