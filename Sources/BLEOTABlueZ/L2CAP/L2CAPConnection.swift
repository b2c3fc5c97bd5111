import BLEOTA
import BlueZ
import Glibc
import Synchronization

/// A channel that is being connected.
final class L2CAPConnection: WatchedSocket {
    private struct State {
        var isOver = false
        var continuation: CheckedContinuation<Bool, Never>?
    }

    /// The longest time in which a device may accept a channel. Accepting takes two connection
    /// intervals, and more if the link has to be encrypted first.
    private static let limit = Duration.seconds(5)

    let descriptor: Int32
    private let deadline = ContinuousClock.now + limit
    private let state: Mutex<State>

    private init(_ descriptor: Int32, _ continuation: CheckedContinuation<Bool, Never>) {
        self.descriptor = descriptor
        state = Mutex(State(continuation: continuation))
    }

    /// Opens a channel over the link to a connected device; returns `nil` if the device, the
    /// controller at either end or the system does not allow it.
    static func open(
        to device: Device,
        _ offer: L2CAPOffer,
        attMTUMax: Int
    ) async -> L2CAPTransport? {
        guard let address = device.currentAddress,
            let descriptor = try? L2CAPSocket.make(on: device.adapter, psm: 0, offer.security)
        else { return nil }
        let peer = L2CAPAddress(address, isRandom: device.hasRandomAddress, psm: offer.psm)
        let isUp = await withCheckedContinuation { continuation in
            let connection = L2CAPConnection(descriptor, continuation)
            guard peer.connect(descriptor),
                (try? SocketLoop.shared.watch(connection)) != nil
            else { return connection.end(isUp: false) }
        }
        guard isUp else {
            _ = Glibc.close(descriptor)
            return nil
        }
        return try? L2CAPSocket.transport(descriptor, attMTUMax: attMTUMax)
    }

    private func end(isUp: Bool) {
        let continuation = state.withLock { state in
            state.isOver = true
            return state.continuation.take()
        }
        continuation?.resume(returning: isUp)
    }

    func interest() -> SocketInterest? {
        if state.withLock({ $0.isOver }) { return nil }
        return SocketInterest(events: POLLOUT, deadline: deadline)
    }

    func handle(events: Int32) {
        if events != 0 {
            end(isUp: L2CAPSocket.error(of: descriptor) == nil && events & POLLHUP == 0)
        } else if ContinuousClock.now >= deadline {
            end(isUp: false)
        }
    }

    /// Does nothing: the transport takes over the descriptor.
    func finish() {}
}

extension UpdateService {
    /// Opens a channel if the device offers one; returns `nil` if it does not, or if the channel
    /// can't be opened. A device that requires a paired link is left to the daemon, which reports
    /// the reason for the refusal.
    func openChannel(of device: Device, attMTUMax: Int) async -> L2CAPTransport? {
        guard let l2cap, let value = try? await l2cap.read(), let offer = L2CAPOffer(value),
            offer.security == .open || device.isPaired
        else { return nil }
        return await L2CAPConnection.open(to: device, offer, attMTUMax: attMTUMax)
    }
}
