package import BLEOTA
import BLEOTACore
package import BlueZ
import Synchronization

/// A link to a device that runs bleota, with this machine as the central.
///
/// If the device has L2CAP channels, all frames pass through such a channel, which is a socket of
/// the kernel. Otherwise, control frames are sent as write requests and arrive as notifications.
/// Data is sent as write requests or as write commands; commands use a socket to the daemon if it
/// offers one.
///
/// The daemon queues commands without a limit and does not report when it has sent them. Therefore,
/// at most ``windowByteCount`` bytes may be unconfirmed. The protocol's acknowledgements confirm
/// bytes. If no acknowledgements arrive, the response to a read request confirms the bytes, because
/// the daemon sends the request after all earlier commands.
///
/// ```swift
/// let bluetooth = try await BlueZClient.open()
/// let device = try bluetooth.adapter().device(address)!
/// let link = try await CentralTransport.connect(to: device)
/// let report = try await push(image, over: link)
/// ```
package final class CentralTransport: WindowedTransport {
    /// The largest number of unconfirmed bytes. It is more than a link carries in a round trip
    /// (100 kB/s times 0.3 s), yet small enough that a stalled radio costs little memory.
    package static let windowByteCount = 1 << 16
    /// Receivers on BlueZ before 5.69 silently lose values of more than 510 bytes.
    private static let valueByteCountMax = 510
    private static let inboundLimit = 4_096
    /// The minimum time for setting up a link, even if connecting used up nearly all of the limit.
    private static let setUpMin = Duration.seconds(1)
    /// The maximum time for a subscription. A device that requires pairing refuses the
    /// subscription. The daemon then starts pairing, asks an agent that may not exist, and never
    /// replies. A subscription takes two connection intervals; the limit also leaves a person time
    /// to confirm a pairing.
    private static let subscriptionMax = Duration.seconds(8)
    /// The time kept back from the overall limit, so that a subscription's timeout is reported as
    /// such.
    private static let subscriptionReserve = Duration.milliseconds(200)
    private static let noResponses =
        "The device can't receive data with response, because it has no characteristic "
        + "DataWithResponse; send without response."

    /// The frame sizes and properties of the link.
    package let limits: TransportLimits
    /// The protocol version in the device's Info; 0 if Info is empty.
    package let protocolVersion: UInt8
    /// Whether the device has sent any frame.
    package var hasHeard: Bool { hasArrived.load(ordering: .relaxed) }
    /// Whether data without response is sent through a socket to the daemon.
    package var usesSocket: Bool { socket != nil }
    /// Whether frames pass through an L2CAP channel.
    package var usesChannel: Bool { channel != nil }

    let device: Device
    let service: UpdateService
    private let socket: WriteSocket?
    private let channel: L2CAPTransport?
    let receives: Bool
    private let inbound = DatagramQueue(limit: inboundLimit)
    private let hasArrived = Atomic(false)
    private let unproven = UnprovenBytes(byteCountMax: windowByteCount)
    let ending = ConnectionEnding()

    private init(
        _ device: Device,
        _ service: UpdateService,
        _ socket: WriteSocket?,
        _ channel: L2CAPTransport?,
        _ limits: TransportLimits,
        receives: Bool,
        protocolVersion: UInt8
    ) {
        self.device = device
        self.receives = receives
        self.protocolVersion = protocolVersion
        self.service = service
        self.socket = socket
        self.channel = channel
        self.limits = limits
    }

    deinit { socket?.close() }

    /// Connects to the device if it is not connected, and prepares the link for sending and
    /// receiving.
    ///
    /// - Parameters:
    ///   - limit: the time limit, at least 100 ms; `nil` to try until the task is cancelled.
    ///   - attMTUMax: the largest ATT_MTU that frames are built for, 23 to 517.
    ///   - receives: whether images are received over this link, as for ``BLEOTA/pull``. A link
    ///     that only sends is ready two connection intervals sooner.
    ///   - allowsChannel: whether to use an L2CAP channel if the device has one.
    /// - Throws: ``BlueZError``; `missing` if the device does not run bleota, or if its service
    ///   lacks a mandatory characteristic.
    package static func connect(
        to device: Device,
        within limit: Duration? = .seconds(30),
        attMTUMax: Int = 517,
        receives: Bool = true,
        allowsChannel: Bool = true
    ) async throws(BlueZError) -> CentralTransport {
        let deadline = limit.map { ContinuousClock.now + $0 }
        try await device.connect(within: limit)
        do throws(BlueZError) {
            // An unresponsive ATT server would block each request for half a minute.
            let left = deadline.map { max(ContinuousClock.now.duration(to: $0), setUpMin) }
            return try await device.client.limited(
                to: left,
                "Setting up the link"
            ) { () throws(BlueZError) in
                try await open(device, attMTUMax, receives, allowsChannel, within: left)
            }
        } catch {
            // Nothing else would close the link, and a connected device can't be found by a
            // search. A cancelled task can't make the call, so a new task does.
            await Task { try? await device.disconnect() }.value
            throw error
        }
    }

    private static func open(
        _ device: Device,
        _ attMTUMax: Int,
        _ receives: Bool,
        _ allowsChannel: Bool,
        within limit: Duration?
    ) async throws(BlueZError) -> CentralTransport {
        let deadline = limit.map { ContinuousClock.now + $0 - subscriptionReserve }
        let service = try await UpdateService(of: device)
        let version = try await service.info.read().first ?? 0
        //= COC-2: A central that cannot open a channel MUST use the GATT binding.
        if allowsChannel, let channel = await service.openChannel(of: device, attMTUMax: attMTUMax)
        {
            let link = CentralTransport(
                device,
                service,
                nil,
                channel,
                channel.limits,
                receives: false,
                protocolVersion: version
            )
            try link.watch()
            return link
        }
        let isOrdered = await BearerOrder.isKept(by: device)
        // Without a socket from the daemon, write commands are sent as method calls.
        var socket: WriteSocket?
        do throws(BlueZError) {
            socket = try await service.data.acquireWrite()
        } catch {
            guard error.allowsOtherWays else { throw error }
        }
        // The socket would truncate longer values, so the smaller of the two limits applies.
        let told = min(try await service.control.attMTU(), socket?.attMTU ?? 517)
        let attMTU = min(told, attMTUMax)
        let byteCountMax = min(attMTU - 3, valueByteCountMax)
        let limits = TransportLimits(
            attMTU: attMTU,
            controlByteCountMax: byteCountMax,
            dataByteCountMax: byteCountMax,
            isOrdered: isOrdered,
            takesDataWithResponse: service.dataWithResponse != nil
        )
        let link = CentralTransport(
            device,
            service,
            socket,
            nil,
            limits,
            receives: receives,
            protocolVersion: version
        )
        let left = deadline.map { ContinuousClock.now.duration(to: $0) } ?? subscriptionMax
        try await link.subscribe(within: min(left, subscriptionMax))
        return link
    }

    // MARK: - Out

    /// Hands one datagram to the daemon. A command waits while the window is full of unconfirmed
    /// bytes. With response, the call returns when the device has responded. If the device has no
    /// characteristic for data with response, the link is closed with a reason that says so.
    package func send(
        _ datagram: [UInt8],
        on channel: Datagram.Channel,
        _ delivery: Datagram.Delivery
    ) async throws(TransportError) {
        if let link = self.channel { return try await link.send(datagram, on: channel, delivery) }
        try limits.check(datagram, on: channel)
        if Task.isCancelled { throw .cancelled }
        switch (channel, delivery) {
        case (.control, _): try await write(datagram, to: service.control, as: .request)
        case (.data, .withResponse):
            guard let characteristic = service.dataWithResponse else {
                close(.refused(Self.noResponses))
                throw .closed(closeReason ?? .local)
            }
            try await write(datagram, to: characteristic, as: .request)
        case (.data, .withoutResponse):
            try await unproven.reserve(datagram.count) { prove($0) }
            try await sendCommand(datagram)
        }
    }

    private func sendCommand(_ datagram: [UInt8]) async throws(TransportError) {
        // Without a socket, each command is a method call without a reply. A lost link is
        // detected by other means.
        guard let socket else { return service.data.post(datagram) }
        do throws(BlueZError) {
            try await socket.send(datagram)
        } catch {
            throw await failed(error)
        }
    }

    private func write(
        _ datagram: [UInt8],
        to characteristic: RemoteCharacteristic,
        as kind: WriteKind
    ) async throws(TransportError) {
        if let closeReason { throw .closed(closeReason) }
        do throws(BlueZError) {
            try await ending.during { () throws(BlueZError) in
                try await characteristic.write(datagram, as: kind)
            }
        } catch {
            throw await failed(error)
        }
    }

    /// Closes the link because of a failure in the daemon, unless the link turns out to have
    /// ended already. In that case, pending operations fail with various errors.
    private func failed(_ error: BlueZError) async -> TransportError {
        if error == .cancelled { return closeReason.map { .closed($0) } ?? .cancelled }
        for _ in 0..<10 where closeReason == nil {
            try? await Task.sleep(for: .milliseconds(50))
        }
        switch error {
        case .disconnected: closeAsTold()
        case .needsPairing: close(.refused(error.description))
        // BlueZ 5.82 starts pairing on the first write. If the pairing fails, it never completes
        // that write, and fails all further ones as "busy" until it has forgotten the device.
        case .busy where !device.isPaired && !hasHeard:
            close(.refused(BlueZError.needsPairing.description))
            try? await device.adapter.remove(device)
        default: close(.failed(error.description))
        }
        return .closed(closeReason ?? .remote)
    }

    /// Sends a request whose response proves that all earlier commands have left the daemon.
    private func prove(_ sentByteCount: Int) {
        Task {
            do throws(BlueZError) {
                try await readInfo()
                unproven.proved(byteCount: sentByteCount)
            } catch {
                _ = await failed(error)
            }
        }
    }

    /// Waits for the response to a read request, which the daemon sends after everything queued so
    /// far.
    package func flush() async throws(TransportError) {
        if let channel { return try await channel.flush() }
        if let closeReason { throw .closed(closeReason) }
        do throws(BlueZError) {
            try await readInfo()
        } catch {
            throw await failed(error)
        }
    }

    /// Waits for the response to a read request, which the daemon sends after all earlier commands.
    private func readInfo() async throws(BlueZError) {
        _ = try await ending.during { [service] () throws(BlueZError) in
            try await service.info.read()
        }
    }

    /// Frees window space for bytes that the protocol has acknowledged.
    package func acknowledged(byteCount: Int) { unproven.acknowledged(byteCount: byteCount) }

    // MARK: - In

    func take(_ bytes: [UInt8], on channel: Datagram.Channel) {
        // Empty notifications carry no frame.
        guard !bytes.isEmpty else { return }
        hasArrived.store(true, ordering: .relaxed)
        if !inbound.put([Datagram(channel: channel, bytes: bytes)]) { close(.overflow) }
    }

    /// Waits for notifications, and returns all that have arrived.
    package func receive() async throws(TransportError) -> [Datagram] {
        guard let channel else { return try await inbound.receive() }
        let datagrams = try await channel.receive()
        hasArrived.store(true, ordering: .relaxed)
        return datagrams
    }

    // MARK: - Closing

    /// The reason why the link has ended; `nil` while it is up.
    package var closeReason: CloseReason? { unproven.closeReason ?? channel?.closeReason }

    /// Closes the link: releases the socket and disconnects the device. Disconnecting takes two
    /// seconds; ``awaitEnd()`` waits for it.
    package func close(_ reason: CloseReason) {
        // A channel that has ended has already given its reason, and the first reason is kept.
        guard unproven.end(channel?.closeReason ?? reason) else { return }
        inbound.end(reason)
        socket?.close()
        channel?.close(reason)
        let (device, service, channel, receives) = (device, service, channel, receives)
        ending.begin {
            await channel?.awaitEnd()
            guard device.isConnected else { return }
            if channel != nil { return (try? await device.disconnect()) ?? () }
            try? await service.control.unsubscribe()
            if receives { try? await service.dataOut?.unsubscribe() }
            try? await device.disconnect()
        }
    }

    /// Closes a link that the daemon reports as lost, with the reason that the daemon gave.
    func closeAsTold() { close(CloseReason(device.disconnectionReason)) }

    /// Waits until the device has disconnected after ``close(_:)``.
    package func awaitEnd() async { await ending.wait() }
}

extension BlueZError {
    /// Whether write commands can be sent without a socket after this error.
    var allowsOtherWays: Bool {
        switch self {
        case .notSupported, .objectGone, .invalid, .att, .failed, .busy: true
        default: false
        }
    }
}
