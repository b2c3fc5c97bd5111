import FleetModel
import Testing

/// A gateway's book of orders, beside what an engine and its pushes know.
struct OrderWorld {
    enum Event {
        case order(DeviceID, turn: UInt32)
        case withdraw(DeviceID)
        /// The feed gives the orders again that stand.
        case repeatOrders
        case end(DeviceID, OrderBook.Outcome)
        case terminate
    }

    private struct Push {
        let order: Order
        /// Whether the order was another meanwhile, or none.
        var isStale = false
        var isTold = false
    }

    private static let places = 1
    private static let outcomes: [OrderBook.Outcome] = [
        .succeeded, .failed(Failure(.unreachable, "away")), .stopped,
    ]

    private let devices: [DeviceID]
    private var book = OrderBook(places: UInt8(places))
    private var ordered: [DeviceID: Order] = [:]
    private var pushes: [DeviceID: Push] = [:]
    private var over: [DeviceID: Order] = [:]
    private var isEnding = false

    /// Visits every sequence of so many events.
    ///
    /// - Returns: the number of sequences.
    static func visit(devices count: Int, depth: Int) -> Int {
        let world = OrderWorld(devices: (1...count).map { DeviceID("lamp-\($0)")! })
        return world.visit(depth: depth)
    }

    private init(devices: [DeviceID]) { self.devices = devices }

    private func visit(depth: Int) -> Int {
        guard depth > 0 else { return 1 }
        return possible.reduce(0) { count, event in
            var next = self
            next.happen(event)
            return count + next.visit(depth: depth - 1)
        }
    }

    private var possible: [Event] {
        var events: [Event] = isEnding ? [] : [.terminate]
        events.append(.repeatOrders)
        for device in devices {
            if !isEnding { events += [.order(device, turn: 1), .order(device, turn: 2)] }
            if ordered[device] != nil { events.append(.withdraw(device)) }
            if pushes[device] != nil { events += Self.outcomes.map { .end(device, $0) } }
        }
        return events
    }

    private mutating func happen(_ event: Event) {
        switch event {
        case .order(let device, let turn): order(Sample.order(turn), device)
        case .withdraw(let device):
            book.withdraw(device)
            forget(device)
        case .repeatOrders: for (device, order) in ordered { book.take(order, for: device) }
        case .end(let device, let outcome): end(device, outcome)
        case .terminate:
            isEnding = true
            let waiting = ordered.filter { over[$0.key] != $0.value && pushes[$0.key] == nil }
            let reports = book.end()
            #expect(Set(reports.map(\.0)) == Set(waiting.keys))
            for (device, order) in waiting { over[device] = order }
        }
        act()
    }

    private mutating func order(_ order: Order, _ device: DeviceID) {
        book.take(order, for: device)
        if order != pushes[device]?.order { pushes[device]?.isStale = true }
        if over[device] != order { over[device] = nil }
        ordered[device] = order
    }

    private mutating func forget(_ device: DeviceID) {
        ordered[device] = nil
        over[device] = nil
        pushes[device]?.isStale = true
    }

    private mutating func end(_ device: DeviceID, _ outcome: OrderBook.Outcome) {
        guard let push = pushes.removeValue(forKey: device) else { return }
        let report = book.pushEnded(device, outcome)
        guard !push.isStale else {
            #expect(report == nil)
            return
        }
        let news: Report.News =
            switch outcome {
            case .succeeded: .succeeded
            case .proved(let receipt): .proved(receipt)
            case .failed(let why): .failed(why)
            case .stopped: .returned
            }
        #expect(report == Sample.report(push.order.turn.number, news))
        over[device] = push.order
    }

    private mutating func act() {
        while let action = book.nextAction() {
            switch action {
            case .begin(let device, let order):
                #expect(!isEnding && pushes[device] == nil && pushes.count < Self.places)
                #expect(ordered[device] == order && over[device] != order)
                pushes[device] = Push(order: order)
            case .stop(let device):
                #expect(pushes[device].map { !$0.isTold && ($0.isStale || isEnding) } == true)
                pushes[device]?.isTold = true
            }
        }
        // Nothing is left undone.
        #expect(pushes.values.allSatisfy { $0.isTold == ($0.isStale || isEnding) })
        if !isEnding, pushes.count < Self.places {
            #expect(ordered.allSatisfy { over[$0.key] == $0.value || pushes[$0.key] != nil })
        }
        #expect(book.isIdle == pushes.isEmpty)
    }
}
