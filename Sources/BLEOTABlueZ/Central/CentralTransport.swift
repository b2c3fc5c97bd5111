package import BLEOTA
import BLEOTACore
package import BlueZ

/// A link to a device that runs bleota, with this machine as the central.
///
/// Control frames go out as write requests and come in as notifications; data goes out as write
/// commands, over a socket to the daemon where there is one, or as write requests.
///
/// The daemon queues commands without bound and tells nobody what left it. So at most
/// ``windowByteCount`` bytes are in its hands unproven: acknowledgements of the protocol prove
/// them, and where those don't come, a read request, which the daemon sends behind all commands.
///
/// ```swift
/// let bluetooth = try await BlueZClient.open()
/// let device = try bluetooth.adapter().device(address)!
/// let link = try await CentralTransport.connect(to: device)
/// let report = try await push(image, over: link)
/// ```
package final class CentralTransport: WindowedTransport {
    /// What the daemon may hold unproven: more than a link carries in a round trip (100 kB/s times
    /// 0.3 s), and little enough that a stalled radio costs no memory to speak of.
    package static let windowByteCount = 1 << 16
    /// Receivers on BlueZ before 5.69 lose values of more than 510 bytes without a word.
    private static let valueByteCountMax = 510
    private static let inboundLimit = 4_096
    /// A link that came up at the very end of the time is not given up at once.
    private static let setUpMin = Duration.seconds(1)
    /// A device that wants to be paired refuses the subscription. The daemon then pairs by itself,
    /// asks an agent that may not exist, and answers nobody. A subscription takes two connection
    /// intervals; this also leaves a person time to agree.
    private static let subscriptionMax = Duration.seconds(8)
    /// What a subscription leaves of the time for all, so that its end is told as its own.
    private static let subscriptionReserve = Duration.milliseconds(200)
    private static let noResponses =
        "The device takes no data with response, since it has no characteristic DataWithResponse; "
        + "send without response: --write-mode without-response."

    private struct Inbound {
        var arrived: [Datagram] = []
        var hasHeard = false
        var ending: TransportError?
    }

    private struct Outbound {
        var sentByteCount = 0
        var provenByteCount = 0
        var isProving = false
        var closeReason: CloseReason?
    }

    /// What the link carries.
    package let limits: TransportLimits
    /// The version of the protocol that the device's Info tells; 0 where that is empty.
    package let protocolVersion: UInt8
    /// Whether the device has sent anything.
    package var hasHeard: Bool { inbound.read { $0.hasHeard } }
    /// Whether data without response goes over a socket to the daemon.
    package var usesSocket: Bool { socket != nil }

    let device: Device
    let service: UpdateService
    private let socket: WriteSocket?
    let receives: Bool
    private let inbound = Monitor(Inbound())
    private let outbound = Monitor(Outbound())
    let ending = ConnectionEnding()

    private init(
        _ device: Device,
        _ service: UpdateService,
        _ socket: WriteSocket?,
        _ limits: TransportLimits,
        receives: Bool,
        protocolVersion: UInt8
    ) {
        self.device = device
        self.receives = receives
        self.protocolVersion = protocolVersion
        self.service = service
        self.socket = socket
        self.limits = limits
    }

    deinit { socket?.close() }

    /// Connects to the device, if it is not connected, and gets everything ready to send and to
    /// receive.
    ///
    /// - Parameters:
    ///   - limit: how long it may take, 100 ms and more; `nil` for ever, until the task is
    ///     cancelled.
    ///   - attMTUMax: frames are made for no larger ATT_MTU than this, 23 to 517.
    ///   - receives: whether images are to come over this link, as for ``BLEOTA/pull``. A link that
    ///     only sends is ready two connection intervals sooner.
    /// - Throws: ``BlueZError``; `missing` when the device does not run bleota, or its service
    ///   lacks a characteristic that every device has.
    package static func connect(
        to device: Device,
        within limit: Duration? = .seconds(30),
        attMTUMax: Int = 517,
        receives: Bool = true
    ) async throws(BlueZError) -> CentralTransport {
        let deadline = limit.map { ContinuousClock.now + $0 }
        try await device.connect(within: limit)
        do throws(BlueZError) {
            // A device whose ATT server is mute would hold each request for half a minute.
            let left = deadline.map { max(ContinuousClock.now.duration(to: $0), setUpMin) }
            return try await device.client.limited(
                to: left,
                "Getting the link ready"
            ) { () throws(BlueZError) in
                try await open(device, attMTUMax, receives, within: left)
            }
        } catch {
            // Nobody else would end the link, and a device with a link can't be found. A cancelled
            // task calls nobody, so another one does.
            await Task { try? await device.disconnect() }.value
            throw error
        }
    }

    private static func open(
        _ device: Device,
        _ attMTUMax: Int,
        _ receives: Bool,
        within limit: Duration?
    ) async throws(BlueZError) -> CentralTransport {
        let deadline = limit.map { ContinuousClock.now + $0 - subscriptionReserve }
        let service = try await UpdateService(of: device)
        let version = try await service.info.read().first ?? 0
        let isOrdered = await BearerOrder.isKept(by: device)
        // The daemon may have no socket: then commands do.
        var socket: WriteSocket?
        do throws(BlueZError) {
            socket = try await service.data.acquireWrite()
        } catch {
            guard error.allowsOtherWays else { throw error }
        }
        // What is longer than the socket takes would be cut, so that the smaller of two counts.
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
            limits,
            receives: receives,
            protocolVersion: version
        )
        let left = deadline.map { ContinuousClock.now.duration(to: $0) } ?? subscriptionMax
        try await link.subscribe(within: min(left, subscriptionMax))
        return link
    }

    // MARK: - Out

    /// Hands one datagram to the daemon, and waits while it holds a window unproven. With response
    /// it returns when the device has answered; a device may have no characteristic for data with
    /// response, which then ends the link with a reason that says so.
    package func send(
        _ datagram: [UInt8],
        on channel: Datagram.Channel,
        _ delivery: Datagram.Delivery
    ) async throws(TransportError) {
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
            try await awaitRoom(for: datagram.count)
            try await sendCommand(datagram)
        }
    }

    private func sendCommand(_ datagram: [UInt8]) async throws(TransportError) {
        // Without a socket each command is a call that nobody waits for; a link that is down shows
        // by itself.
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

    /// Ends the link for a failure of the daemon, unless it turns out that the link has ended: what
    /// is under way then fails in many ways.
    private func failed(_ error: BlueZError) async -> TransportError {
        if error == .cancelled { return closeReason.map { .closed($0) } ?? .cancelled }
        for _ in 0..<10 where closeReason == nil {
            try? await Task.sleep(for: .milliseconds(50))
        }
        switch error {
        case .disconnected: closeAsTold()
        case .needsPairing: close(.refused(error.description))
        // Release 5.82 pairs by itself for the first write, and is busy with it at the next.
        case .busy where !device.isPaired && !hasHeard:
            close(.refused(BlueZError.needsPairing.description))
        default: close(.failed(error.description))
        }
        return .closed(closeReason ?? .remote)
    }

    private func awaitRoom(for byteCount: Int) async throws(TransportError) {
        func reserve(_ state: inout Outbound) throws(TransportError) -> Bool? {
            if let reason = state.closeReason { throw .closed(reason) }
            let unproven = state.sentByteCount - state.provenByteCount
            guard unproven + byteCount <= Self.windowByteCount else { return nil }
            state.sentByteCount += byteCount
            return true
        }
        var isReserved = try outbound.attempt { state throws(TransportError) -> Bool? in
            try reserve(&state)
        }
        while isReserved != true {
            prove()
            isReserved = try await outbound.wait(as: .sender) {
                state throws(TransportError) -> Bool? in
                if let isReserved = try reserve(&state) { return isReserved }
                // A read that began earlier may prove too little.
                return state.isProving ? nil : false
            }
            if isReserved == nil { throw .cancelled }
        }
    }

    /// Proves, by a request, that everything sent before has left the daemon.
    private func prove() {
        let mark = outbound.update { state -> Int? in
            guard !state.isProving, state.closeReason == nil else { return nil }
            state.isProving = true
            return state.sentByteCount
        }
        guard let mark else { return }
        Task {
            do throws(BlueZError) {
                try await readInfo()
                outbound.update(waking: .sender) { state in
                    state.isProving = false
                    state.provenByteCount = max(state.provenByteCount, mark)
                }
            } catch {
                _ = await failed(error)
            }
        }
    }

    /// Waits until a read request, which goes behind everything sent so far, has come back.
    package func flush() async throws(TransportError) {
        if let closeReason { throw .closed(closeReason) }
        do throws(BlueZError) {
            try await readInfo()
        } catch {
            throw await failed(error)
        }
    }

    /// A request, which the daemon sends behind all commands.
    private func readInfo() async throws(BlueZError) {
        _ = try await ending.during { [service] () throws(BlueZError) in
            try await service.info.read()
        }
    }

    /// Opens the window by what the protocol has proof of.
    package func acknowledged(byteCount: Int) {
        outbound.update(waking: .sender) { state in
            // A chunk that was sent twice is proven once, and one that a read proved, again.
            state.provenByteCount = min(state.provenByteCount + byteCount, state.sentByteCount)
        }
    }

    // MARK: - In

    func take(_ bytes: [UInt8], on channel: Datagram.Channel) {
        // An empty notification carries nothing.
        guard !bytes.isEmpty else { return }
        let hasOverflowed = inbound.update(waking: .receiver) { state -> Bool in
            state.hasHeard = true
            guard state.ending == nil else { return false }
            guard state.arrived.count < Self.inboundLimit else {
                state.ending = .inboundOverflow(limit: Self.inboundLimit)
                return true
            }
            state.arrived.append(Datagram(channel: channel, bytes: bytes))
            return false
        }
        if hasOverflowed { close(.overflow) }
    }

    /// Waits for notifications and takes all that are there.
    package func receive() async throws(TransportError) -> [Datagram] {
        let datagrams = try await inbound.wait(as: .receiver) {
            state throws(TransportError) -> [Datagram]? in
            if !state.arrived.isEmpty {
                defer { state.arrived = [] }
                return state.arrived
            }
            if let ending = state.ending { throw ending }
            return nil
        }
        guard let datagrams else { throw .cancelled }
        return datagrams
    }

    // MARK: - The end

    /// Why the link has ended, or `nil` while it is up.
    package var closeReason: CloseReason? { outbound.read { $0.closeReason } }

    /// Ends the link: gives the socket back and disconnects the device, which takes two seconds;
    /// ``awaitEnd()`` waits for that.
    package func close(_ reason: CloseReason) {
        let isFirst = outbound.update(waking: .sender) { state -> Bool in
            if state.closeReason != nil { return false }
            state.closeReason = reason
            return true
        }
        guard isFirst else { return }
        inbound.update(waking: .receiver) { state in
            if state.ending == nil { state.ending = .closed(reason) }
        }
        socket?.close()
        let (device, service, receives) = (device, service, receives)
        ending.begin {
            guard device.isConnected else { return }
            try? await service.control.unsubscribe()
            if receives { try? await service.dataOut?.unsubscribe() }
            try? await device.disconnect()
        }
    }

    /// Ends the link that the daemon says is down, for the reason that it gave.
    func closeAsTold() { close(CloseReason(device.disconnectionReason)) }

    /// Waits until the device is disconnected after ``close(_:)``.
    package func awaitEnd() async { await ending.wait() }
}

extension BlueZError {
    /// Whether writing may go another way than over a socket.
    fileprivate var allowsOtherWays: Bool {
        switch self {
        case .notSupported, .objectGone, .invalid, .att, .failed, .busy: true
        default: false
        }
    }
}
