import BLEOTA
import BlueZ
import DBus
import Synchronization

/// Connects to one device, and opens the connection to the daemon on first use.
final class BluetoothConnector: Connector {
    private struct Session: Sendable {
        let devices: DeviceConnector
        /// The agent that answers pairing requests.
        let agent: PairingAgent?
    }

    private let target: DeviceTarget
    private let adapter: String?
    private let attMTUMax: Int
    private let limit: Duration
    private let pairing: BluetoothPairing
    private let session = Mutex<Session?>(nil)

    init(
        _ target: DeviceTarget,
        adapter: String?,
        attMTUMax: Int,
        within limit: Duration,
        pairing: BluetoothPairing
    ) {
        self.target = target
        self.adapter = adapter
        self.attMTUMax = attMTUMax
        self.limit = limit
        self.pairing = pairing
    }

    func connect() async throws(TransferError) -> any Transport {
        try await opened().devices.connect()
    }

    /// Closes the latest link and waits until it is down, so that its device is free for others.
    func awaitEnd() async { await session.withLock { $0 }?.devices.awaitEnd() }

    private func opened() async throws(TransferError) -> Session {
        if let session = session.withLock({ $0 }) { return session }
        do throws(BlueZError) {
            let client = try await BlueZClient.open(within: .seconds(2))
            let agent = try await agent(client)
            let opened = Session(
                devices: DeviceConnector(
                    client,
                    adapter: adapter,
                    to: target,
                    attMTUMax: attMTUMax,
                    within: limit,
                    pairs: agent != nil
                ),
                agent: agent
            )
            session.withLock { $0 = opened }
            return opened
        } catch {
            throw TransferError(error == .cancelled ? .cancelled : .cannotConnect("\(error)"))
        }
    }

    private func agent(_ client: BlueZClient) async throws(BlueZError) -> PairingAgent? {
        switch pairing {
        case .never: nil
        case .justWorks:
            try await PairingAgent.register(JustWorks(), client: client, isDefault: false)
        case .passkey(let ask):
            try await PairingAgent.register(
                PasskeyQuestion(ask: ask),
                client: client,
                isDefault: false
            )
        }
    }
}

/// Enters the digits that a device shows.
private struct PasskeyQuestion: PairingHandler {
    let ask: @Sendable () async -> Int?

    var capability: PairingCapability { .keyboard }

    func passkey(_ device: ObjectPath) async -> PairingPasskey? {
        await ask().flatMap { UInt32(exactly: $0) }.flatMap { PairingPasskey($0) }
    }

    func authorizesPairing(_ device: ObjectPath) async -> Bool { true }

    func authorizes(_ service: BluetoothUUID, _ device: ObjectPath) async -> Bool { true }
}
