import BLEOTA
import BlueZ
import DBus

/// The link to the central that uses the service of another protocol.
///
/// Every subscriber receives each notification, and nothing in a notification says which central it
/// is for. The peripheral therefore serves one central at a time.
final class PipeLink: GATTPipe {
    /// More writes than four requests of 2,475 bytes take at the smallest ATT_MTU. Further writes
    /// are lost, as on a device without a free buffer.
    private static let inboundLimit = 512
    /// The overhead of each notification if several share one packet, in bytes.
    private static let notificationOverhead = 5

    private struct Inbound {
        var arrived: [[UInt8]] = []
        var reason: CloseReason?
        var lastWriteAt = ContinuousClock.now
    }

    /// The central; `nil` if the daemon does not report it.
    let device: ObjectPath?
    let valueByteCountMax: Int
    private let characteristic: PublishedCharacteristic
    private let inbound = Monitor(Inbound())

    init(_ characteristic: PublishedCharacteristic, _ device: ObjectPath?, attMTU: Int) {
        self.characteristic = characteristic
        self.device = device
        valueByteCountMax = min(min(max(attMTU, 23), 517) - Self.notificationOverhead, 512)
    }

    var isClosed: Bool { inbound.read { $0.reason != nil } }

    /// How long the central has written nothing.
    var silence: Duration { inbound.read { ContinuousClock.now - $0.lastWriteAt } }

    /// Queues a write. Called on the bus's thread.
    func take(_ value: [UInt8]) {
        inbound.update(waking: .receiver) { state in
            state.lastWriteAt = .now
            guard state.reason == nil, state.arrived.count < Self.inboundLimit else { return }
            state.arrived.append(value)
        }
    }

    func send(_ value: [UInt8]) async throws(TransportError) {
        if let reason = inbound.read({ $0.reason }) { throw .closed(reason) }
        do throws(BlueZError) {
            try await characteristic.notify(value)
        } catch {
            if error == .cancelled { throw .cancelled }
            close(.failed(error.description))
            throw .closed(.failed(error.description))
        }
    }

    func receive() async throws(TransportError) -> [[UInt8]] {
        let values = try await inbound.wait(as: .receiver) {
            state throws(TransportError) -> [[UInt8]]? in
            if !state.arrived.isEmpty {
                defer { state.arrived = [] }
                return state.arrived
            }
            if let reason = state.reason { throw .closed(reason) }
            return nil
        }
        guard let values else { throw .cancelled }
        return values
    }

    func close(_ reason: CloseReason) {
        inbound.update(waking: .receiver) { state in state.reason = state.reason ?? reason }
    }
}
