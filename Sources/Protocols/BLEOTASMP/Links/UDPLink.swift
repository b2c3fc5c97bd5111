package import BLEOTA
import Dispatch
import Glibc
import SystemPackage

/// SMP over UDP: one message in each datagram.
package final class UDPLink: SMPLink {
    package static let port = 1337
    private static let datagramByteCountMax = 65_507
    /// The length of the longest IP packet that common networks carry unfragmented. A device may be
    /// unable to receive longer packets, whatever its buffers hold.
    private static let packetByteCount = 1_500
    private static let headerByteCount4 = 28
    private static let headerByteCount6 = 48
    private static let inboundLimit = 256

    private let descriptor: FileDescriptor
    /// The address of the device.
    private let address: [UInt8]
    /// Dispatch sources may be used from any thread.
    private nonisolated(unsafe) let source: any DispatchSourceRead
    private let inbound = DatagramInbox(countMax: inboundLimit)
    package let attMTU: Int

    package var limits: LinkLimits {
        LinkLimits(unstated: defaultLimits, packetByteCountMax: attMTU, isReliable: false)
    }

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
        let bytes = UnsafeRawBufferPointer(
            start: address.ai_addr,
            count: Int(address.ai_addrlen)
        )
        let headerByteCount = address.ai_family == AF_INET6 ? headerByteCount6 : headerByteCount4
        return UDPLink(
            FileDescriptor(rawValue: number),
            Array(bytes),
            datagramByteCountMax: packetByteCount - headerByteCount
        )
    }

    private static func failed(_ what: String) -> TransferError {
        let reason = Errno(rawValue: errno)
        return TransferError(.cannotConnect("Can't \(what): \(reason); check the network."))
    }

    /// The socket is not connected to the device. While the device restarts, a connected socket
    /// would report an unreachable port, and lose the next datagram.
    private init(
        _ descriptor: FileDescriptor,
        _ address: [UInt8],
        datagramByteCountMax: Int
    ) {
        self.descriptor = descriptor
        self.address = address
        attMTU = datagramByteCountMax
        source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor.rawValue,
            queue: DispatchQueue(label: "bleota.smp.udp")
        )
        source.setEventHandler { [inbound] in Self.read(descriptor, from: address, into: inbound) }
        // The descriptor must stay open until the source no longer uses it.
        source.setCancelHandler { try? descriptor.close() }
        source.activate()
    }

    deinit { source.cancel() }

    private static func read(
        _ descriptor: FileDescriptor,
        from address: [UInt8],
        into inbound: DatagramInbox
    ) {
        var arrived: [[UInt8]] = []
        for _ in 0..<inboundLimit {
            guard
                let (datagram, sender) = descriptor.receiveDatagram(
                    byteCountMax: datagramByteCountMax
                )
            else { break }
            if sender == address { arrived.append(datagram) }
        }
        inbound.put(arrived)
    }

    package func send(_ packet: [UInt8]) async throws(TransferError) {
        if let reason = inbound.closeReason { throw TransferError(.linkLost(reason)) }
        if Task.isCancelled { throw TransferError(.cancelled) }
        switch descriptor.sendDatagram(packet, to: address) {
        case nil: return
        // A datagram that can't be sent now is lost, as datagrams may be.
        case .resourceTemporarilyUnavailable, .noBufferSpace, .interrupted, .noRouteToHost,
            .networkUnreachable:
            return
        case let error?:
            throw TransferError(.linkLost(.failed("Can't send: \(error).")))
        }
    }

    package func receive() async throws(TransferError) -> [[UInt8]] {
        try await inbound.receive()
    }

    package func close(_ reason: CloseReason) {
        inbound.close(reason)
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

    /// Returns at once: a socket does not keep its device from others.
    package func awaitEnd() async {}
}
