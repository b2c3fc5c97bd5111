package import BLEOTA
import BlueZ

/// A link to a central, with this machine as the peripheral: writes arrive, and notifications
/// are sent.
///
/// Every subscriber receives each notification, and drops one that is not for it, because the
/// checksum does not match. The daemon queues notifications without a limit, so only the
/// protocol's window limits a sender.
package final class PeripheralTransport: Transport {
    private static let inboundLimit = 4_096
    /// The number of writes that can be unread without loss. While this process is not scheduled,
    /// the daemon's socket holds at least 166 writes of 512 bytes, and usually twice as many:
    /// each message takes 1,280 bytes of a buffer of at least 212,992. Further writes are
    /// silently lost.
    private static let unreadCountMax = 128
    /// The limit for queued datagrams, above which writes from a shared socket are dropped.
    private static let sharedCountMax = 1_024
    /// The overhead of each notification if several share one packet, in bytes.
    private static let notificationOverhead = 5

    private struct Inbound {
        var arrived: [Datagram] = []
        var ending: TransportError?
        var closeReason: CloseReason?
    }

    /// The frame sizes and properties of the link. The longest frame is five bytes shorter than the
    /// central's ATT_MTU, because the daemon truncates longer notifications.
    package let limits: TransportLimits

    private let control: PublishedCharacteristic
    private let dataOut: PublishedCharacteristic
    private let inbound = Monitor(Inbound())

    init(_ application: GATTApplication, attMTU: Int) {
        func find(_ text: String) -> PublishedCharacteristic {
            application.characteristic(BluetoothUUID(text)!)!
        }
        control = find(GATTIdentifiers.control)
        dataOut = find(GATTIdentifiers.dataOut)
        let attMTU = min(max(attMTU, 23), 517)
        let byteCountMax = min(attMTU - Self.notificationOverhead, 512)
        limits = TransportLimits(
            attMTU: attMTU,
            controlByteCountMax: byteCountMax,
            dataByteCountMax: byteCountMax,
            unreadCountMax: Self.unreadCountMax
        )
    }

    /// Notifies the central, and waits while the bus accepts no more data. Datagrams sent before
    /// the central has subscribed are lost. `delivery` is ignored: the central's subscription
    /// decides whether it gets notifications or indications.
    package func send(
        _ datagram: [UInt8],
        on channel: Datagram.Channel,
        _ delivery: Datagram.Delivery
    ) async throws(TransportError) {
        try limits.check(datagram, on: channel)
        if let closeReason { throw .closed(closeReason) }
        do throws(BlueZError) {
            try await (channel == .control ? control : dataOut).notify(datagram)
        } catch {
            if error == .cancelled { throw .cancelled }
            close(.failed(error.description))
            throw .closed(closeReason ?? .remote)
        }
    }

    /// Returns immediately: nothing reports when a notification has reached the central.
    package func flush() async throws(TransportError) {
        if let closeReason { throw .closed(closeReason) }
    }

    /// Queues a datagram that may belong to another central, unless the queue is long: another
    /// central's traffic must not fill it. Called on the bus's thread.
    func takeShared(_ bytes: [UInt8], on channel: Datagram.Channel) {
        guard inbound.read({ $0.arrived.count }) < Self.sharedCountMax else { return }
        take(bytes, on: channel)
    }

    /// Queues a datagram. Called on the bus's thread.
    func take(_ bytes: [UInt8], on channel: Datagram.Channel) {
        guard !bytes.isEmpty else { return }
        let hasOverflowed = inbound.update(waking: .receiver) { state -> Bool in
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

    /// Waits for writes, and returns all that have arrived.
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

    /// Closes the link on this side, but does not disconnect the central.
    package func close(_ reason: CloseReason) {
        inbound.update(waking: .receiver) { state in
            if state.closeReason == nil { state.closeReason = reason }
            if state.ending == nil { state.ending = .closed(reason) }
        }
    }

    /// The reason why the link has ended; `nil` while it is up.
    package var closeReason: CloseReason? { inbound.read { $0.closeReason } }
}
