import BLEOTA
import Synchronization

/// Receives at one end until the link ends, and keeps all received datagrams.
final class Collector: Sendable {
    private struct State {
        var datagrams: [Datagram] = []
        var batchCount = 0
        var hasReturnedNothing = false
        var ending: TransportError?
    }

    private final class Log: Sendable {
        let state = Mutex(State())
    }

    private let log = Log()
    private let task: Task<Void, Never>

    init(_ end: any Transport) {
        task = Task { @concurrent [log] in
            do throws(TransportError) {
                while true {
                    let arrived = try await end.receive()
                    let isEnough = log.state.withLock { state in
                        state.datagrams += arrived
                        state.batchCount += 1
                        if arrived.isEmpty { state.hasReturnedNothing = true }
                        return state.hasReturnedNothing
                    }
                    if isEnough { return }
                }
            } catch {
                log.state.withLock { $0.ending = error }
            }
        }
    }

    deinit { task.cancel() }

    /// The datagrams received so far.
    var datagrams: [Datagram] { log.state.withLock { $0.datagrams } }

    /// The number of times that `receive()` has returned.
    var batchCount: Int { log.state.withLock { $0.batchCount } }

    /// Waits for datagrams; returns `nil` if too few arrive within the limit, or if the link ends
    /// first.
    func datagrams(atLeast count: Int, within limit: Duration) async -> [Datagram]? {
        let isOver = await polled(within: limit) {
            log.state.withLock { state -> Bool? in
                if state.datagrams.count >= count { return true }
                return state.ending == nil && !state.hasReturnedNothing ? nil : false
            }
        }
        return isOver == true ? datagrams : nil
    }

    /// Waits until no datagram has arrived for a while.
    func settled() async -> [Datagram] {
        var last = -1
        while last != datagrams.count {
            last = datagrams.count
            await pause(.milliseconds(300))
        }
        return datagrams
    }

    /// Returns the error that ended receiving; `nil` if there is none within the limit.
    func ending(within limit: Duration) async -> TransportError? {
        await polled(within: limit) { log.state.withLock { $0.ending } }
    }

    /// Describes why fewer datagrams than expected have arrived.
    var shortage: String {
        log.state.withLock { state in
            if state.hasReturnedNothing { return "receive() returned an empty array" }
            let ending =
                state.ending.map { "receive() threw \($0)" } ?? "receive() is still waiting"
            return "\(state.datagrams.count) arrived, and \(ending)"
        }
    }
}
