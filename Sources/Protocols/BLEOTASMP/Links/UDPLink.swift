package import BLEOTA
import Dispatch
import Glibc
import SystemPackage

/// SMP over UDP: one message in each datagram.
package final class UDPLink: SMPLink {
    package static let port = 1337
    private static let datagramByteCountMax = 65_507
    private static let inboundLimit = 256

    private struct Inbound {
        var arrived: [[UInt8]] = []
        var reason: CloseReason?
    }

    private let descriptor: FileDescriptor
    /// Dispatch sources may be used from any thread.
    private nonisolated(unsafe) let source: any DispatchSourceRead
    private let inbound = Monitor(Inbound())

    package var limits: BufferLimits { defaultLimits }
    package var attMTU: Int { defaultLimits.packetByteCountMax }

    /// Opens a socket to a host. A UDP socket is open whether or not a device is there.
    ///
    /// - Throws: a ``TransferError`` with the code `cannotConnect`.
    package static func open(host: String, port: Int) throws(TransferError) -> UDPLink {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &found)
        defer { found.map(freeaddrinfo) }
        guard status == 0, let address = found?.pointee else {
            throw TransferError(
                .wrongAddress("Can't find the host \(host); check its name, or use its address.")
            )
        }
        let number = socket(
            address.ai_family,
            address.ai_socktype | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue),
            0
        )
        guard number >= 0 else { throw failed("open a socket") }
        guard Glibc.connect(number, address.ai_addr, address.ai_addrlen) == 0 else {
            let error = failed("reach \(host)")
            _ = Glibc.close(number)
            throw error
        }
        return UDPLink(FileDescriptor(rawValue: number))
    }

    private static func failed(_ what: String) -> TransferError {
        let reason = Errno(rawValue: errno)
        return TransferError(.cannotConnect("Can't \(what): \(reason); check the network."))
    }

    private init(_ descriptor: FileDescriptor) {
        self.descriptor = descriptor
        source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor.rawValue,
            queue: DispatchQueue(label: "bleota.smp.udp")
        )
        source.setEventHandler { [inbound] in Self.read(descriptor, into: inbound) }
        // The descriptor must be open until the source no longer uses it.
        source.setCancelHandler { try? descriptor.close() }
        source.activate()
    }

    deinit { source.cancel() }

    private static func read(_ descriptor: FileDescriptor, into inbound: Monitor<Inbound>) {
        var arrived: [[UInt8]] = []
        while arrived.count < inboundLimit {
            let datagram = [UInt8](unsafeUninitializedCapacity: datagramByteCountMax) {
                buffer,
                count in
                count = max(0, recv(descriptor.rawValue, buffer.baseAddress, buffer.count, 0))
            }
            // A refusal by the host is no end: the device may just restart.
            if datagram.isEmpty { break }
            arrived.append(datagram)
        }
        // What a reader does not take in time is lost, as datagrams may be.
        inbound.update(waking: .receiver) { state in
            state.arrived += arrived.prefix(inboundLimit - state.arrived.count)
        }
    }

    package func send(_ packet: [UInt8]) async throws(TransferError) {
        if let reason = inbound.read({ $0.reason }) { throw TransferError(.linkLost(reason)) }
        if Task.isCancelled { throw TransferError(.cancelled) }
        let sent = Glibc.send(descriptor.rawValue, packet, packet.count, Int32(MSG_NOSIGNAL))
        if sent >= 0 { return }
        switch errno {
        // A datagram that can't be sent now is lost, as datagrams may be.
        case EAGAIN, ENOBUFS, EINTR, ECONNREFUSED, EHOSTUNREACH, ENETUNREACH: return
        default: throw TransferError(.linkLost(.failed("Can't send: \(Errno(rawValue: errno)).")))
        }
    }

    package func receive() async throws(TransferError) -> [[UInt8]] {
        let arrived = try await inbound.wait(as: .receiver) {
            state throws(TransferError) -> [[UInt8]]? in
            if !state.arrived.isEmpty {
                defer { state.arrived = [] }
                return state.arrived
            }
            if let reason = state.reason { throw TransferError(.linkLost(reason)) }
            return nil
        }
        guard let arrived else { throw TransferError(.cancelled) }
        return arrived
    }

    package func close(_ reason: CloseReason) {
        inbound.update(waking: .receiver) { state in state.reason = state.reason ?? reason }
        source.cancel()
    }
}

/// Opens sockets to a device that speaks SMP over UDP.
package struct UDPConnector: SMPConnector {
    private let host: String
    private let port: Int

    package init(host: String, port: Int = UDPLink.port) {
        self.host = host
        self.port = port
    }

    package func connect() async throws(TransferError) -> any SMPLink {
        if Task.isCancelled { throw TransferError(.cancelled) }
        return try UDPLink.open(host: host, port: port)
    }
}
