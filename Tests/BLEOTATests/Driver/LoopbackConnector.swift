import BLEOTACore
import Synchronization

@testable import BLEOTA

/// Makes one loopback after another to servers that share a store, and cuts each of them but the
/// last after some datagrams.
final class LoopbackConnector: Connector {
    private struct State {
        var cuts: [Int]
        var refusalCount: Int
        var attemptCount = 0
        var servers: [Task<Void, Never>] = []
    }

    private let store: any ImageStore
    private let offers: [Firmware]
    private let state: Mutex<State>

    /// - Parameters:
    ///   - cuts: after how many datagrams of the connecting end each link ends.
    ///   - refusalCount: how many attempts fail after the first link.
    init(
        to store: any ImageStore,
        cuts: [Int],
        refusalCount: Int = 0,
        offers: [Firmware] = []
    ) {
        self.store = store
        self.offers = offers
        state = Mutex(State(cuts: cuts, refusalCount: refusalCount))
    }

    var attemptCount: Int { state.withLock { $0.attemptCount } }

    func connect() async throws(TransferError) -> any Transport {
        let (isRefused, cut) = state.withLock { state -> (Bool, Int?) in
            state.attemptCount += 1
            if state.attemptCount > 1, state.refusalCount > 0 {
                state.refusalCount -= 1
                return (true, nil)
            }
            return (false, state.cuts.isEmpty ? nil : state.cuts.removeFirst())
        }
        if isRefused { throw TransferError(.cannotConnect("Nobody is there.")) }
        let (near, far) = LoopbackTransport.makePair(limits: TransportLimits(attMTU: 247))
        let (store, offers) = (store, offers)
        let server = Task { await serve(over: far, into: store, offering: offers) }
        state.withLock { $0.servers.append(server) }
        return FaultyTransport(near, plan: FaultPlan(cutAfterDatagrams: cut))
    }

    /// Waits until every server has returned, which it does when its link ends.
    func finish() async {
        for server in state.withLock({ $0.servers }) { await server.value }
    }
}
