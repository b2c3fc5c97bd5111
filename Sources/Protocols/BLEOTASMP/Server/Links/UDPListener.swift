package import BLEOTA
import Dispatch
import Glibc
import SystemPackage

/// Accepts clients of SMP over UDP: each address from which datagrams come is a client.
package final class UDPListener: SMPLinkSource {
    /// The length of the longest datagram that is read whole; a longer one is not a valid request.
    private static let datagramByteCountMax = 4_096
    /// A client that is silent for this long counts as gone; nothing else ends a link over UDP.
    static let idleLimit = Duration.seconds(60)
    /// How many clients are served at once. When another client comes, the client that has been
    /// silent for the longest time gives way.
    private static let clientCountMax = 32
    /// How many datagrams are read before other work gets its turn.
    private static let batchCountMax = 64

    private struct Client {
        let address: [UInt8]
        let link: UDPClientLink
        /// When the client's last datagram came.
        var lastAt: ContinuousClock.Instant
    }

    private struct State {
        /// The clients, in the order of their last datagrams.
        var clients: [Client] = []
        var arrived: [SMPGuest] = []
        var hasEnded = false
    }

    package let place: String
    private let descriptor: FileDescriptor
    /// Dispatch sources may be used from any thread.
    private nonisolated(unsafe) let source: any DispatchSourceRead
    /// One timer for all clients: a timer for each datagram would stay in memory until its time,
    /// even when it is cancelled.
    private nonisolated(unsafe) let timer: any DispatchSourceTimer
    private let state = Monitor(State())

    /// Opens a socket at an address of this machine.
    ///
    /// - Parameters:
    ///   - host: the name or address to listen on; `nil` for all addresses.
    ///   - port: the number of the port; 0 for any free port.
    /// - Throws: a ``TransferError`` with the code `cannotConnect`.
    package init(host: String?, port: Int) throws(TransferError) {
        var hints = addrinfo()
        hints.ai_family = host == nil ? AF_INET6 : AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV | AI_PASSIVE
        var found: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &found)
        defer { found.map(freeaddrinfo) }
        guard status == 0, let address = found?.pointee else {
            throw TransferError(
                .wrongAddress(
                    "Can't find the address \(host ?? "::"); use an address of this machine."
                )
            )
        }
        let number = Self.bound(address)
        guard number >= 0 else {
            throw TransferError(
                .wrongAddress(
                    "Can't listen on UDP port \(port): \(Errno(rawValue: errno)); choose an "
                        + "address of this machine and a port that no other program uses."
                )
            )
        }
        descriptor = FileDescriptor(rawValue: number)
        place = "\(host ?? "UDP port"):\(Self.port(of: number) ?? port)"
        let queue = DispatchQueue(label: "bleota.smp.udp-listener")
        source = DispatchSource.makeReadSource(fileDescriptor: number, queue: queue)
        timer = DispatchSource.makeTimerSource(queue: queue)
        source.setEventHandler { [weak self] in self?.read() }
        // The descriptor must stay open until the source no longer uses it.
        source.setCancelHandler { [descriptor] in try? descriptor.close() }
        source.activate()
        timer.setEventHandler { [weak self] in self?.closeIdleClients() }
        timer.schedule(
            deadline: .now() + .seconds(15),
            repeating: .seconds(15),
            leeway: .seconds(5)
        )
        timer.activate()
    }

    deinit {
        source.cancel()
        timer.cancel()
    }

    /// A socket that is bound to the address; −1 if the system refuses.
    private static func bound(_ address: addrinfo) -> CInt {
        let number = socket(
            address.ai_family,
            address.ai_socktype | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue),
            0
        )
        guard number >= 0 else { return -1 }
        if address.ai_family == AF_INET6 {
            var no: CInt = 0
            setsockopt(
                number,
                Int32(IPPROTO_IPV6),
                IPV6_V6ONLY,
                &no,
                socklen_t(MemoryLayout<CInt>.size)
            )
        }
        guard bind(number, address.ai_addr, address.ai_addrlen) == 0 else {
            let error = errno
            close(number)
            errno = error
            return -1
        }
        return number
    }

    private static func port(of number: CInt) -> Int? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> Int? in
                guard getsockname(number, address, &length) == 0 else { return nil }
                return Int(SocketName(address, length).port ?? 0)
            }
        }
    }

    // MARK: - Datagrams, on the queue of the source

    private func read() {
        for _ in 0..<Self.batchCountMax {
            guard
                let (message, address) = descriptor.receiveDatagram(
                    byteCountMax: Self.datagramByteCountMax
                )
            else { return }
            deliver(message, from: address)
        }
    }

    /// Passes a datagram to its client. A datagram from a new address makes a new client.
    func deliver(
        _ message: [UInt8],
        from address: [UInt8],
        at now: ContinuousClock.Instant = .now
    ) {
        let delivery = state.update(waking: .receiver) {
            state -> (to: UDPClientLink, displaced: UDPClientLink?)? in
            if let index = state.clients.firstIndex(where: { $0.address == address }),
                !state.clients[index].link.isClosed
            {
                var client = state.clients.remove(at: index)
                client.lastAt = now
                state.clients.append(client)
                return (client.link, nil)
            }
            // The clients come faster than they are served.
            guard state.arrived.count < Self.clientCountMax else { return nil }
            state.clients.removeAll { $0.link.isClosed || $0.address == address }
            let displaced =
                state.clients.count >= Self.clientCountMax
                ? state.clients.removeFirst().link : nil
            let link = UDPClientLink(descriptor, address)
            state.clients.append(Client(address: address, link: link, lastAt: now))
            state.arrived.append(
                SMPGuest(link, name: SocketName(address).text, carriesWholeMessages: true)
            )
            return (link, displaced)
        }
        guard let delivery else { return }
        delivery.displaced?.close(.local)
        delivery.to.deliver(message)
    }

    /// Closes the links of clients that have been silent for too long.
    func closeIdleClients(at now: ContinuousClock.Instant = .now) {
        let end = now - Self.idleLimit
        let idle = state.update(waking: .receiver) { state in
            let idle = state.clients.prefix { $0.lastAt <= end }
            state.clients.removeFirst(idle.count)
            return idle
        }
        for client in idle { client.link.close(.remote) }
    }

    // MARK: - Serving

    package func next() async throws(TransferError) -> SMPGuest {
        let guest = await state.wait(as: .receiver) { state -> SMPGuest?? in
            if !state.arrived.isEmpty { return .some(state.arrived.removeFirst()) }
            return state.hasEnded ? .some(nil) : nil
        }
        guard let guest = guest ?? nil else { throw TransferError(.cancelled) }
        return guest
    }

    package func end() {
        let clients = state.update(waking: .receiver) { state in
            state.hasEnded = true
            return state.clients
        }
        for client in clients { client.link.close(.local) }
        source.cancel()
        timer.cancel()
    }
}
