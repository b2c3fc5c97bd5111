import DBus

extension Device {
    private static let firstPause = Duration.milliseconds(250)
    private static let longestPause = Duration.seconds(4)
    /// The time limit for one attempt. The daemon itself takes 40 seconds to detect that the
    /// device is absent.
    private static let attempt = Duration.seconds(20)
    /// The time limit for service discovery, which normally takes one or two seconds, or slightly
    /// longer over a slow link.
    private static let resolution = Duration.seconds(12)
    /// The time after which the daemon ends the link itself if the device responds to no request:
    /// the ATT transaction timeout of 30 s (volume 3, part F, 3.3.3), and one second.
    private static let discoveryMax = Duration.seconds(31)

    /// Connects and discovers the services, with further attempts until `limit` has passed.
    ///
    /// A device that is already connected is used without reconnecting. Cancelling the task ends
    /// the attempt.
    ///
    /// - Parameter limit: how long to try; `nil` to try until the task is cancelled, for example
    ///   for a device that may come back into range at any time. If the daemon forgets the device
    ///   meanwhile, as BlueZ 5.82 does after 30 s, the adapter scans for it.
    /// - Throws: ``BlueZError/objectGone(_:)`` if there is a time limit and the daemon has
    ///   forgotten the device: scan for the device again. ``BlueZError/connectionFailed(_:)`` or
    ///   ``BlueZError/timedOut(_:)`` when the time limit has passed; ``BlueZError/cancelled``.
    ///   Errors that another attempt would not resolve, such as ``BlueZError/adapterOff``, are
    ///   thrown immediately.
    public func connect(within limit: Duration? = .seconds(30)) async throws(BlueZError) {
        let deadline = limit.map { ContinuousClock.now + $0 }
        var pause = Self.firstPause
        while true {
            do throws(BlueZError) {
                let left = deadline.map { ContinuousClock.now.duration(to: $0) } ?? Self.attempt
                try await connectOnce(within: min(max(left, .milliseconds(100)), Self.attempt))
                return
            } catch {
                if case .objectGone = error, limit == nil {
                    try await reappear()
                } else if !error.isTransient {
                    throw error
                }
                if let deadline, ContinuousClock.now + pause >= deadline { throw error }
            }
            try await client.pause(pause)
            pause = min(pause * 2, Self.longestPause)
        }
    }

    /// Scans until the daemon knows the device again.
    private func reappear() async throws(BlueZError) {
        let stream = try await adapter.scan()
        for await found in stream where found.device.path == path { return }
        throw Task.isCancelled ? .cancelled : adapter.whyScanEnded
    }

    private func connectOnce(within limit: Duration) async throws(BlueZError) {
        let deadline = ContinuousClock.now + limit
        let isOurs = !isConnected
        if isOurs {
            do throws(BlueZError) {
                try await client.call(path, Interface.device, "Connect", within: limit)
            } catch {
                switch error {
                case .timedOut, .cancelled:
                    giveUp()
                    throw error == .cancelled ? error : .connectionFailed("no response")
                default: throw error
                }
            }
        }
        // A link that came up just before the deadline still gets time for service discovery.
        let left = max(ContinuousClock.now.duration(to: deadline), .seconds(1))
        do throws(BlueZError) {
            try await awaitServices(within: min(left, Self.resolution))
        } catch {
            if error == .cancelled, isOurs { giveUp() }
            guard case .timedOut = error else { throw error }
            // The link is up only on this side, as happens if the peer has just been switched
            // off.
            try? await disconnect()
            throw .connectionFailed("the device does not respond")
        }
    }

    private func awaitServices(within limit: Duration) async throws(BlueZError) {
        // The reply may arrive before or after the services are known, and even if the link is
        // already down. In addition, not every change of a new device causes a signal.
        try await client.refresh(path, Interface.device)
        let path = path
        try await client.wait(for: "Discovering the services", within: limit) {
            tree -> Result<Void, BlueZError>? in
            guard let device = tree.properties(path, Interface.device) else {
                return .failure(.objectGone("The device"))
            }
            guard device["Connected"]?.flag == true else { return .failure(.disconnected) }
            return device["ServicesResolved"]?.flag == true ? .success(()) : nil
        }
        // The daemon sets `ServicesResolved` before it announces the services, but announces all
        // of them before it replies to this call.
        try await client.refresh(path, Interface.device)
    }

    /// Cancels an attempt to connect, without waiting until the link is down.
    private func giveUp() {
        if isSafeToDisconnect {
            client.post(path, Interface.device, "Disconnect")
        } else {
            Task { try? await disconnect() }
        }
    }

    /// Whether the daemon may be told to disconnect now. If BlueZ 5.66 closes a link while it
    /// discovers the services, Linux 6.1 oopses in `l2cap_sock_release`. This does not happen with
    /// BlueZ 5.82 and Linux 6.12.
    private var isSafeToDisconnect: Bool {
        !isConnected || isResolved || adapter.hasDaemon(atLeast: 5, 82)
    }

    /// Closes the link for all programs on this machine, and waits until it is down, which takes
    /// two seconds. With a daemon before 5.82, it first waits until the discovery of services is
    /// over. If the device does not respond, this takes up to 31 seconds.
    public func disconnect() async throws(BlueZError) {
        if !isSafeToDisconnect { try await awaitEndOfDiscovery() }
        do throws(BlueZError) {
            try await client.call(path, Interface.device, "Disconnect", within: .seconds(10))
        } catch {
            guard error == .disconnected else { throw error }
        }
        let path = path
        try await client.wait(for: "Disconnecting", within: .seconds(10)) {
            tree -> Result<Void, BlueZError>? in
            tree.property(path, Interface.device, "Connected")?.flag == true ? nil : .success(())
        }
    }

    private func awaitEndOfDiscovery() async throws(BlueZError) {
        let path = path
        do throws(BlueZError) {
            try await client.wait(for: "Discovering the services", within: Self.discoveryMax) {
                tree -> Result<Void, BlueZError>? in
                let device = tree.properties(path, Interface.device)
                let isUp = device?["Connected"]?.flag == true
                return isUp && device?["ServicesResolved"]?.flag != true ? nil : .success(())
            }
        } catch {
            guard case .timedOut = error else { throw error }
        }
    }

    /// Waits until the link is down.
    ///
    /// - Returns: the reason, if the daemon reports one; otherwise, and for a device that the
    ///   daemon has forgotten, ``DisconnectionReason/unknown``.
    /// - Throws: ``BlueZError/noDaemon`` if the daemon goes away, and with it the state of the
    ///   link; ``BlueZError/cancelled``.
    @discardableResult
    public func awaitDisconnection() async throws(BlueZError) -> DisconnectionReason {
        let path = path
        return try await client.wait(for: "Disconnecting", within: .seconds(1 << 30)) {
            tree -> Result<DisconnectionReason, BlueZError>? in
            let isUp = tree.property(path, Interface.device, "Connected")?.flag == true
            return isUp ? nil : .success(tree.disconnectionReason(of: path))
        }
    }

    /// Pairs with the device, using the registered agent, and marks the device as trusted.
    public func pair(within limit: Duration = .seconds(60)) async throws(BlueZError) {
        do throws(BlueZError) {
            try await client.call(path, Interface.device, "Pair", within: limit)
        } catch {
            // The device is already paired.
            guard case .failed(let what) = error, what.hasPrefix("AlreadyExists") else {
                throw error
            }
        }
        try await client.set(path, Interface.device, "Trusted", .boolean(true))
    }
}

extension BlueZError {
    /// Whether another attempt to connect may soon succeed.
    package var isTransient: Bool {
        switch self {
        case .connectionFailed, .disconnected, .busy, .timedOut: true
        // An unspecified failure of the link.
        case .failed: true
        case .att(let error): error == .unlikelyError
        default: false
        }
    }
}
