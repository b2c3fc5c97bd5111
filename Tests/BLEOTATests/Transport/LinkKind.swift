import Glibc
import Testing

@testable import BLEOTA

/// Every kind of link that has to keep the contract of ``Transport``.
enum LinkKind: String, CaseIterable, CustomTestStringConvertible {
    case loopback, socket
    case faultyLoopback, faultySocket
    case tracingLoopback, tracingSocket
    case serial
    case l2cap

    static let loopbacks: [LinkKind] = [.loopback, .faultyLoopback, .tracingLoopback]
    static let sockets: [LinkKind] = [.socket, .faultySocket, .tracingSocket]

    /// Those whose ends tell each other what became of them and of what was sent.
    static let answering = loopbacks + sockets + [.l2cap]

    /// Those that carry what their ATT_MTU allows.
    static let ofATTMTU = allCases.filter { $0 != .l2cap }

    var testDescription: String { rawValue }

    func makePair(
        attMTU: Int = 247,
        transmitWindow: Int = 64,
        inboundLimit: Int = 4096
    ) async throws -> (any Transport, any Transport) {
        switch self {
        case .loopback:
            LoopbackTransport.makePair(
                limits: TransportLimits(attMTU: attMTU),
                transmitWindow: transmitWindow,
                inboundLimit: inboundLimit
            )
        case .socket:
            try await Self.makeSocketPair(attMTU: attMTU, inboundLimit: inboundLimit)
        case .serial:
            try Self.makeSerialPair(attMTU: attMTU, inboundLimit: inboundLimit)
        case .l2cap:
            try Self.makeL2CAPPair(attMTU: attMTU, inboundLimit: inboundLimit)
        case .faultyLoopback, .faultySocket:
            try await Self.wrap(
                basis.makePair(
                    attMTU: attMTU,
                    transmitWindow: transmitWindow,
                    inboundLimit: inboundLimit
                )
            ) { base in Self.faultless(base) }
        case .tracingLoopback, .tracingSocket:
            try await Self.wrap(
                basis.makePair(
                    attMTU: attMTU,
                    transmitWindow: transmitWindow,
                    inboundLimit: inboundLimit
                )
            ) { base in Self.traced(base) }
        }
    }

    private var basis: LinkKind { Self.loopbacks.contains(self) ? .loopback : .socket }

    private static func wrap(
        _ pair: (any Transport, any Transport),
        _ wrapped: (any Transport) -> any Transport
    ) -> (any Transport, any Transport) {
        (wrapped(pair.0), wrapped(pair.1))
    }

    private static func faultless(_ base: some Transport) -> any Transport {
        FaultyTransport(base, plan: FaultPlan(seed: 1))
    }

    private static func traced(_ base: some Transport) -> any Transport {
        TracingTransport(base) { _ in }
    }

    /// A pair of sockets, since what a device that hangs up still holds is gone.
    private static func makeSerialPair(
        attMTU: Int,
        inboundLimit: Int
    ) throws -> (SerialTransport, SerialTransport) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        precondition(socketpair(AF_UNIX, type, 0, &ends) == 0, "no sockets: \(errno)")
        let links = try ends.map { descriptor in
            try SerialTransport.start(
                SerialPort(descriptor: descriptor, baudRate: nil),
                attMTU: attMTU,
                inboundLimit: inboundLimit
            )
        }
        return (links[0], links[1])
    }

    /// A pair of sockets that carry SDUs as L2CAP does.
    private static func makeL2CAPPair(
        attMTU: Int,
        inboundLimit: Int
    ) throws -> (L2CAPTransport, L2CAPTransport) {
        let (first, second) = RawSocketPeer.makePair()
        func end(_ descriptor: Int32) throws -> L2CAPTransport {
            try L2CAPTransport.start(
                descriptor,
                sending: L2CAPTransport.sduByteCountMax,
                attMTUMax: attMTU,
                inboundLimit: inboundLimit
            )
        }
        return (try end(first), try end(second))
    }

    static func makeSocketPair(
        attMTU: Int = 247,
        inboundLimit: Int = 4096
    ) async throws -> (SocketTransport, SocketTransport) {
        let directory = SocketDirectory()
        let listener = try SocketListener(
            path: directory.socket,
            attMTU: attMTU,
            inboundLimit: inboundLimit
        )
        defer { listener.close() }
        async let accepted = listener.accept()
        let connected = try await SocketTransport.connect(
            path: directory.socket,
            attMTU: attMTU,
            inboundLimit: inboundLimit
        )
        return (connected, try await accepted)
    }
}

extension Transport {
    /// Receives until there are `count` datagrams.
    func collect(_ count: Int) async throws(TransportError) -> [Datagram] {
        var collected: [Datagram] = []
        while collected.count < count { collected += try await receive() }
        return collected
    }

    /// Receives until this arrives, as the last.
    func collect(until last: [UInt8]) async throws(TransportError) -> [[UInt8]] {
        var collected: [[UInt8]] = []
        while collected.last != last { collected += try await receive().map(\.bytes) }
        return collected
    }

    /// Receives until the link ends.
    func collectAll() async -> (datagrams: [Datagram], ending: TransportError) {
        var collected: [Datagram] = []
        do throws(TransportError) {
            while true { collected += try await receive() }
        } catch {
            return (collected, error)
        }
    }
}

/// A number that tasks of a test count up and wait for.
actor Tally {
    private(set) var count = 0

    func add() { count += 1 }

    /// Lets others run until the count is reached.
    nonisolated func reaches(_ goal: Int) async {
        while await count < goal { await Task.yield() }
    }
}

/// Gives everybody who could go on the chance to. What has not happened then is waiting.
func letOthersRun() async {
    for _ in 0..<200 { await Task.yield() }
}

/// A datagram that shows its number, at least four bytes long.
func numbered(_ number: Int, byteCount: Int = 4) -> [UInt8] {
    let bytes = withUnsafeBytes(of: UInt32(number).littleEndian) { Array($0) }
    return bytes + [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: byteCount - 4)
}

func number(of datagram: Datagram) -> Int {
    datagram.bytes.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
}
