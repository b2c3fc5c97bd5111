package import BLEOTA
package import BlueZ
import DBus

/// A GATT connection to a device over BlueZ, for protocols of other makers.
///
/// Write commands go through a socket to the daemon, which queues them without a limit. Each of
/// these protocols keeps few bytes unacknowledged, so the queue stays short.
package final class BlueZConnection: GATTConnection {
    private static let inboundLimit = 4_096
    /// The longest time that the daemon may take to notice that a socket was closed, and the pause
    /// between the attempts to write in that time. The daemon usually notices at once.
    private static let unlockLimit = Duration.seconds(2)
    private static let unlockPause = Duration.milliseconds(5)

    private struct Inbound {
        var arrived: [GATTNotification] = []
        var ending: GATTError?
        var reason: CloseReason?
        var sockets: [String: WriteSocket] = [:]
    }

    private let device: Device
    private let remote: [GATTCharacteristic: RemoteCharacteristic]
    private let inbound = Monitor(Inbound())
    private let ending = ConnectionEnding()

    package let attMTU: Int
    package let characteristics: [GATTCharacteristic]

    /// Connects to the device if it is not connected, and discovers its services.
    package static func open(
        _ device: Device,
        within limit: Duration,
        attMTUMax: Int
    ) async throws(BlueZError) -> BlueZConnection {
        try await device.connect(within: limit)
        do throws(BlueZError) {
            return try await device.client.limited(to: limit, "Setting up the link") {
                () throws(BlueZError) in
                try await set(up: device, attMTUMax)
            }
        } catch {
            await Task { try? await device.disconnect() }.value
            throw error
        }
    }

    private static func set(
        up device: Device,
        _ attMTUMax: Int
    ) async throws(BlueZError) -> BlueZConnection {
        var characteristics: [GATTCharacteristic] = []
        var remote: [GATTCharacteristic: RemoteCharacteristic] = [:]
        for service in device.services {
            guard let serviceUUID = service.uuid else { continue }
            for found in service.characteristics {
                guard let uuid = found.uuid else { continue }
                let characteristic = GATTCharacteristic(
                    service: serviceUUID.text,
                    uuid: uuid.text,
                    properties: GATTCharacteristic.Properties(flags: found.flags)
                )
                // Of two characteristics with the same UUID in a service, no protocol needs the
                // second.
                guard remote[characteristic] == nil else { continue }
                characteristics.append(characteristic)
                remote[characteristic] = found
            }
        }
        let attMTU = try await characteristics.first.flatMap { remote[$0] }?.attMTU() ?? 23
        let connection = BlueZConnection(device, characteristics, remote, min(attMTU, attMTUMax))
        connection.listen()
        guard device.isConnected else { throw .disconnected }
        return connection
    }

    private init(
        _ device: Device,
        _ characteristics: [GATTCharacteristic],
        _ remote: [GATTCharacteristic: RemoteCharacteristic],
        _ attMTU: Int
    ) {
        self.device = device
        self.characteristics = characteristics
        self.remote = remote
        self.attMTU = attMTU
    }

    private func listen() {
        let path = device.path
        let events = device.client.onEvent { [weak self] event in
            switch event {
            case .daemonVanished: self?.close(.failed("the Bluetooth daemon stopped"))
            case .removed(path, let interfaces) where interfaces.contains(Interface.device):
                self?.close(.remote)
            case .changed(path, _, let changed, _) where changed["Connected"]?.flag == false:
                self?.closeAsTold()
            default: break
            }
        }
        ending.keep([events])
    }

    // MARK: - Out

    package func read(_ characteristic: GATTCharacteristic) async throws(GATTError) -> [UInt8] {
        let remote = try find(characteristic)
        return try await during { () throws(BlueZError) in try await remote.read() }
    }

    package func write(
        _ value: [UInt8],
        to characteristic: GATTCharacteristic
    ) async throws(GATTError) {
        let remote = try find(characteristic)
        // The daemon refuses write requests while it has a socket for write commands.
        let socket = inbound.update { $0.sockets.removeValue(forKey: characteristic.uuid) }
        try await during { () throws(BlueZError) in
            guard let socket else { return try await remote.write(value, as: .request) }
            try await socket.finish()
            try await Self.write(value, toUnlocked: remote)
        }
    }

    /// Writes as soon as the daemon has noticed that the socket for commands was closed.
    private static func write(
        _ value: [UInt8],
        toUnlocked remote: RemoteCharacteristic
    ) async throws(BlueZError) {
        let end = ContinuousClock.now + unlockLimit
        while true {
            do throws(BlueZError) {
                return try await remote.write(value, as: .request)
            } catch {
                guard error == .locked, ContinuousClock.now < end, !Task.isCancelled else {
                    throw error
                }
                try? await Task.sleep(for: unlockPause)
            }
        }
    }

    package func command(
        _ value: [UInt8],
        to characteristic: GATTCharacteristic
    ) async throws(GATTError) {
        let remote = try find(characteristic)
        let socket = try await socket(of: remote, characteristic.uuid)
        try await during { () throws(BlueZError) in
            if let socket {
                try await socket.send(value)
            } else {
                try await remote.write(value, as: .command)
            }
        }
    }

    /// The socket for a characteristic's write commands, opened on first use; `nil` if the daemon
    /// offers none.
    private func socket(
        of remote: RemoteCharacteristic,
        _ uuid: String
    ) async throws(GATTError) -> WriteSocket? {
        if let open = inbound.read({ $0.sockets[uuid] }) { return open }
        let opened: WriteSocket? = try await during { () throws(BlueZError) in
            do throws(BlueZError) {
                return try await remote.acquireWrite()
            } catch {
                guard error.allowsOtherWays else { throw error }
                return nil
            }
        }
        guard let opened else { return nil }
        let isUp = inbound.update { state -> Bool in
            guard state.reason == nil else { return false }
            state.sockets[uuid] = opened
            return true
        }
        if !isUp { opened.close() }
        return isUp ? opened : nil
    }

    package func subscribe(to characteristic: GATTCharacteristic) async throws(GATTError) {
        let (remote, uuid) = (try find(characteristic), characteristic.uuid)
        let subscription = try await during { () throws(BlueZError) in
            try await remote.subscribe { [weak self] value in self?.take(value, from: uuid) }
        }
        ending.keep([subscription])
    }

    private func find(
        _ characteristic: GATTCharacteristic
    ) throws(GATTError) -> RemoteCharacteristic {
        if let reason = closeReason { throw .closed(reason) }
        guard let found = remote[characteristic] else { throw .missing(characteristic.uuid) }
        return found
    }

    private func during<Value: Sendable>(
        _ operation: @escaping @Sendable () async throws(BlueZError) -> Value
    ) async throws(GATTError) -> Value {
        do throws(BlueZError) {
            return try await ending.during(operation)
        } catch {
            throw await failed(error)
        }
    }

    /// Closes the link because of a failure in the daemon. An error from the device does not end
    /// the link.
    private func failed(_ error: BlueZError) async -> GATTError {
        switch error {
        case .cancelled: return closeReason.map { .closed($0) } ?? .cancelled
        case .att(let error): return .refused(attError: error.rawValue)
        case .needsPairing: return .needsPairing(error.description)
        default: break
        }
        // Operations that are pending when the link ends fail with various errors.
        for _ in 0..<10 where closeReason == nil {
            try? await Task.sleep(for: .milliseconds(50))
        }
        if error == .disconnected { closeAsTold() } else { close(.failed(error.description)) }
        return .closed(closeReason ?? .remote)
    }

    // MARK: - In

    private func take(_ value: [UInt8], from uuid: String) {
        let hasOverflowed = inbound.update(waking: .receiver) { state -> Bool in
            guard state.ending == nil else { return false }
            guard state.arrived.count < Self.inboundLimit else {
                state.ending = .overflow
                return true
            }
            state.arrived.append(GATTNotification(characteristic: uuid, value: value))
            return false
        }
        if hasOverflowed { close(.overflow) }
    }

    package func receive() async throws(GATTError) -> [GATTNotification] {
        let arrived = try await inbound.wait(as: .receiver) {
            state throws(GATTError) -> [GATTNotification]? in
            if !state.arrived.isEmpty {
                defer { state.arrived = [] }
                return state.arrived
            }
            if let ending = state.ending { throw ending }
            return nil
        }
        guard let arrived else { throw .cancelled }
        return arrived
    }

    // MARK: - Closing

    package var closeReason: CloseReason? { inbound.read { $0.reason } }

    package func close(_ reason: CloseReason) {
        let sockets = inbound.update(waking: .receiver) { state -> [WriteSocket]? in
            if state.reason != nil { return nil }
            state.reason = reason
            state.ending = state.ending ?? .closed(reason)
            defer { state.sockets = [:] }
            return Array(state.sockets.values)
        }
        guard let sockets else { return }
        for socket in sockets { socket.close() }
        let device = device
        ending.begin {
            guard device.isConnected else { return }
            try? await device.disconnect()
        }
    }

    private func closeAsTold() { close(CloseReason(device.disconnectionReason)) }

    /// Waits until the device has disconnected after ``close(_:)``.
    func awaitEnd() async { await ending.wait() }
}

extension GATTCharacteristic.Properties {
    /// The operations as named by BlueZ.
    fileprivate init(flags: [String]) {
        self = []
        let all: [(String, GATTCharacteristic.Properties)] = [
            ("read", .read), ("write", .write), ("write-without-response", .command),
            ("notify", .notify), ("indicate", .indicate),
        ]
        for (flag, property) in all where flags.contains(flag) { insert(property) }
    }
}
