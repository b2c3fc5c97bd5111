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

    /// The frame sizes and properties of the link. The longest frame is five bytes shorter than the
    /// central's ATT_MTU, because the daemon truncates longer notifications.
    package let limits: TransportLimits

    private let control: PublishedCharacteristic
    private let dataOut: PublishedCharacteristic
    private let inbound = DatagramQueue(limit: inboundLimit)

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

    /// Queues values that may belong to another central, unless the queue is long: another
    /// central's traffic must not fill it. Called on the bus's thread.
    func takeShared(_ values: [[UInt8]], on channel: Datagram.Channel) {
        guard inbound.count < Self.sharedCountMax else { return }
        take(values, on: channel)
    }

    /// Queues values that were written one after another. Called on the bus's thread.
    func take(_ values: [[UInt8]], on channel: Datagram.Channel) {
        // An empty write carries no frame.
        let datagrams = values.lazy.filter { !$0.isEmpty }.map { bytes in
            Datagram(channel: channel, bytes: bytes)
        }
        if !inbound.put(Array(datagrams)) { close(.overflow) }
    }

    /// Waits for writes, and returns all that have arrived.
    package func receive() async throws(TransportError) -> [Datagram] {
        try await inbound.receive()
    }

    /// Closes the link on this side, but does not disconnect the central.
    package func close(_ reason: CloseReason) { inbound.end(reason) }

    /// The reason why the link has ended; `nil` while it is up.
    package var closeReason: CloseReason? { inbound.closeReason }
}
