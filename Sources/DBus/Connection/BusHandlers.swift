/// The handlers for signals and state changes, called in the order in which they were added.
struct BusHandlers {
    typealias SignalHandler = @Sendable (BusMessage) -> Void
    typealias StateHandler = @Sendable (BusState) -> Void

    private var signalHandlers: [UInt64: SignalHandler] = [:]
    private var stateHandlers: [UInt64: StateHandler] = [:]
    private var lastID: UInt64 = 0

    /// Adds a handler, and returns the ID with which to remove it.
    mutating func add(_ handler: @escaping SignalHandler) -> UInt64 {
        lastID += 1
        signalHandlers[lastID] = handler
        return lastID
    }

    /// Adds a handler, and returns the ID with which to remove it.
    mutating func add(_ handler: @escaping StateHandler) -> UInt64 {
        lastID += 1
        stateHandlers[lastID] = handler
        return lastID
    }

    mutating func remove(_ id: UInt64) {
        signalHandlers.removeValue(forKey: id)
        stateHandlers.removeValue(forKey: id)
    }

    func call(with signal: BusMessage) {
        for (_, handler) in signalHandlers.sorted(by: { $0.key < $1.key }) { handler(signal) }
    }

    func call(with state: BusState) {
        for (_, handler) in stateHandlers.sorted(by: { $0.key < $1.key }) { handler(state) }
    }
}
