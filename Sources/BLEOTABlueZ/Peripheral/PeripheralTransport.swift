package import BLEOTA
import BlueZ

/// A link to a central, with this machine as the device: writes come in, notifications go out.
///
/// Notifications go to everyone who subscribed; who is not meant drops them by their checksum. The
/// daemon queues them without bound, so that what holds a sender back is the protocol's window.
package final class PeripheralTransport: Transport {
    private static let inboundLimit = 4_096
    /// The daemon's socket holds 166 writes of 512 bytes while this process does not run, and
    /// mostly twice that (a message takes 1,280 bytes of 212,992 or more), and loses more without a
    /// word.
    private static let unreadCountMax = 128
    /// What waits of that which came over a socket that all centrals may share.
    private static let sharedCountMax = 1_024
    /// What the daemon puts around each of several notifications in one packet.
    private static let notificationOverhead = 5

    private struct Inbound {
        var arrived: [Datagram] = []
        var ending: TransportError?
        var closeReason: CloseReason?
    }

    /// What the link carries: the central's ATT_MTU less five bytes, since the daemon cuts longer
    /// notifications.
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

    /// Notifies the central, and waits while the bus takes nothing. What is sent before the central
    /// has subscribed is lost. With response is not told from without: which of the two a central
    /// gets is its own choice.
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

    /// Returns at once: nobody says when a central has a notification.
    package func flush() async throws(TransportError) {
        if let closeReason { throw .closed(closeReason) }
    }

    /// Takes what may be another central's: that must not fill this link's queue. On the bus's
    /// thread.
    func takeShared(_ bytes: [UInt8], on channel: Datagram.Channel) {
        guard inbound.read({ $0.arrived.count }) < Self.sharedCountMax else { return }
        take(bytes, on: channel)
    }

    /// On the bus's thread.
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

    /// Waits for writes and takes all that are there.
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

    /// Ends the link on this side; the central stays connected until it leaves by itself.
    package func close(_ reason: CloseReason) {
        inbound.update(waking: .receiver) { state in
            if state.closeReason == nil { state.closeReason = reason }
            if state.ending == nil { state.ending = .closed(reason) }
        }
    }

    /// Why the link has ended, or `nil` while it is up.
    package var closeReason: CloseReason? { inbound.read { $0.closeReason } }
}
