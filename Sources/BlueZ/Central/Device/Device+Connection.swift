import DBus

extension Device {
    private static let firstPause = Duration.milliseconds(250)
    private static let longestPause = Duration.seconds(4)
    /// One attempt; the daemon's own takes 40 seconds to find out that nobody is there.
    private static let attempt = Duration.seconds(20)
    /// Finding the services takes a second or two, or a little more over a slow link.
    private static let resolution = Duration.seconds(12)

    /// Connects and finds out which services there are, again and again until `limit` has passed.
    ///
    /// A device that is connected already is taken as it is. A cancelled task ends the attempt.
    ///
    /// - Parameter limit: how long to try; `nil` for ever, until the task is cancelled, as for a
    ///   device that is out of range and comes back some day.
    /// - Throws: ``BlueZError/objectGone(_:)`` when the daemon has forgotten the device: scan for
    ///   it again. ``BlueZError/connectionFailed(_:)`` or ``BlueZError/timedOut(_:)`` when the time
    ///   is over; errors that another attempt can't mend at once, such as
    ///   ``BlueZError/adapterOff``; ``BlueZError/cancelled``.
    public func connect(within limit: Duration? = .seconds(30)) async throws(BlueZError) {
        let deadline = limit.map { ContinuousClock.now + $0 }
        var pause = Self.firstPause
        while true {
            do throws(BlueZError) {
                let left = deadline.map { ContinuousClock.now.duration(to: $0) } ?? Self.attempt
                try await connectOnce(within: min(max(left, .milliseconds(100)), Self.attempt))
                return
            } catch {
                guard error.isTransient else { throw error }
                if let deadline, ContinuousClock.now + pause >= deadline { throw error }
            }
            try await client.pause(pause)
            pause = min(pause * 2, Self.longestPause)
        }
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
                    // This is how an attempt is called off.
                    client.post(path, Interface.device, "Disconnect")
                    throw error == .cancelled ? error : .connectionFailed("no answer")
                default: throw error
                }
            }
        }
        // A link that came up at the very end is not given up for a few milliseconds.
        let left = max(ContinuousClock.now.duration(to: deadline), .seconds(1))
        do throws(BlueZError) {
            try await awaitServices(within: min(left, Self.resolution))
        } catch {
            if error == .cancelled, isOurs { client.post(path, Interface.device, "Disconnect") }
            guard case .timedOut = error else { throw error }
            // The link is up on this side only, as after a peer that was just switched off.
            try? await disconnect()
            throw .connectionFailed("the device does not answer")
        }
    }

    private func awaitServices(within limit: Duration) async throws(BlueZError) {
        // The answer may come before or after the services are known, and even for a link that is
        // down already; and not every change of a new device is told.
        try await client.refresh(path, Interface.device)
        let path = path
        try await client.wait(for: "Finding the services", within: limit) {
            tree -> Result<Void, BlueZError>? in
            guard let device = tree.properties(path, Interface.device) else {
                return .failure(.objectGone("The device"))
            }
            guard device["Connected"]?.flag == true else { return .failure(.disconnected) }
            return device["ServicesResolved"]?.flag == true ? .success(()) : nil
        }
        // It says so before it tells of the services, but tells all that it has before it answers.
        try await client.refresh(path, Interface.device)
    }

    /// Ends the link, for all programs on this machine, and waits until it is down: two seconds.
    public func disconnect() async throws(BlueZError) {
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

    /// Waits until the link is down.
    ///
    /// - Returns: why, where the daemon says so; ``DisconnectionReason/unknown`` otherwise, and for
    ///   a device that the daemon has forgotten.
    /// - Throws: ``BlueZError/noDaemon`` when the daemon goes away, and with it what is known of
    ///   the link; ``BlueZError/cancelled``.
    @discardableResult
    public func awaitDisconnection() async throws(BlueZError) -> DisconnectionReason {
        let path = path
        return try await client.wait(for: "The end of the link", within: .seconds(1 << 30)) {
            tree -> Result<DisconnectionReason, BlueZError>? in
            let isUp = tree.property(path, Interface.device, "Connected")?.flag == true
            return isUp ? nil : .success(tree.disconnectionReason(of: path))
        }
    }

    /// Pairs, with the agent that is registered, and trusts the device from then on.
    public func pair(within limit: Duration = .seconds(60)) async throws(BlueZError) {
        do throws(BlueZError) {
            try await client.call(path, Interface.device, "Pair", within: limit)
        } catch {
            // It is done already.
            guard case .failed(let what) = error, what.hasPrefix("AlreadyExists") else {
                throw error
            }
        }
        try await client.set(path, Interface.device, "Trusted", .boolean(true))
    }
}

extension BlueZError {
    /// Whether the same attempt to connect may succeed a little later.
    package var isTransient: Bool {
        switch self {
        case .connectionFailed, .disconnected, .busy, .timedOut: true
        // Any failure of the link below the daemon.
        case .failed: true
        case .att(let error): error == .unlikelyError
        default: false
        }
    }
}
