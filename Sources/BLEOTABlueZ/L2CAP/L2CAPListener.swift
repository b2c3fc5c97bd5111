import BLEOTA
import BlueZ
import Glibc
import Synchronization
import SystemPackage

/// Listens for the channels of centrals.
///
/// A central has one channel at a time. A new channel ends the previous one, which is left over
/// from a link that the central has given up. The number of channels is therefore limited by the
/// number of links that the adapter keeps.
final class L2CAPListener: WatchedSocket {
    private struct State {
        var isClosed = false
        /// After a shortage of descriptors, the time until which no central is accepted.
        var pauseEnd: ContinuousClock.Instant?
        /// The latest channel of each central, by its address.
        var latest: [String: Latest] = [:]
    }

    private struct Latest {
        weak var transport: L2CAPTransport?
    }

    private static let backlog: Int32 = 8
    /// The pause after the system had no descriptor or memory for a link. A central waits ten times
    /// as long for the channel, then uses GATT.
    private static let shortagePause = Duration.milliseconds(500)

    let descriptor: Int32
    let offer: L2CAPOffer
    private let attMTUMax: Int
    private let onChannel: @Sendable (L2CAPTransport) -> Void
    private let state = Mutex(State())

    private init(
        _ descriptor: Int32,
        _ offer: L2CAPOffer,
        attMTUMax: Int,
        _ onChannel: @escaping @Sendable (L2CAPTransport) -> Void
    ) {
        self.descriptor = descriptor
        self.offer = offer
        self.attMTUMax = attMTUMax
        self.onChannel = onChannel
    }

    /// Listens on the first free PSM; `nil` if the system does not allow it.
    ///
    /// - Parameter onChannel: called on the loop's thread with each channel.
    static func start(
        on adapter: Adapter,
        security: LinkSecurity,
        attMTUMax: Int,
        onChannel: @escaping @Sendable (L2CAPTransport) -> Void
    ) -> L2CAPListener? {
        for psm in L2CAPOffer.psms {
            do throws(SocketError) {
                let descriptor = try L2CAPSocket.make(on: adapter, psm: psm, security)
                let listener = L2CAPListener(
                    descriptor,
                    L2CAPOffer(psm: psm, security: security),
                    attMTUMax: attMTUMax,
                    onChannel
                )
                guard listen(descriptor, backlog) == 0,
                    (try? SocketLoop.shared.watch(listener)) != nil
                else {
                    _ = Glibc.close(descriptor)
                    return nil
                }
                return listener
            } catch .system(_, .addressInUse) {
                continue
            } catch {
                return nil
            }
        }
        return nil
    }

    func close() {
        state.withLock { $0.isClosed = true }
        SocketLoop.shared.wake()
    }

    func interest() -> SocketInterest? {
        state.withLock { state in
            if state.isClosed { return nil }
            if let end = state.pauseEnd { return SocketInterest(events: 0, deadline: end) }
            return SocketInterest(events: POLLIN)
        }
    }

    func handle(events: Int32) {
        state.withLock { $0.pauseEnd = nil }
        while let (peerDescriptor, peer) = L2CAPAddress.accept(from: descriptor) {
            guard SocketCalls.setNonBlockingAndCloseOnExec(peerDescriptor) else {
                _ = Glibc.close(peerDescriptor)
                continue
            }
            guard
                let transport = try? L2CAPSocket.transport(peerDescriptor, attMTUMax: attMTUMax)
            else { continue }
            let earlier = state.withLock { state in
                state.latest = state.latest.filter { $0.value.transport != nil }
                return state.latest.updateValue(Latest(transport: transport), forKey: peer)
            }
            earlier?.transport?.close(.local)
            onChannel(transport)
        }
        // Otherwise `poll` would report the waiting central at once, again and again.
        if SocketCalls.lastErrno != .resourceTemporarilyUnavailable {
            state.withLock { $0.pauseEnd = .now + Self.shortagePause }
        }
    }

    func finish() { _ = Glibc.close(descriptor) }
}
