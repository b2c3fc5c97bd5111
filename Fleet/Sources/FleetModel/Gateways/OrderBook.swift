/// What a gateway does with its orders. A pure state machine: the caller asks for its next action.
///
///             ┌──────────────────────withdrawn─────────────────────┐
///             ▼                                                    │
///     none ──order──▶ waiting ──a place is free──▶ pushing ──ends──▶ done ──another order──▶ waiting
///       ▲                                            │
///       │                                            └──withdrawn, or another order──▶ stopping
///       └──────────────────────────────────ends (waiting, if there is another order)──────┘
///
/// When the gateway is about to end, nothing begins any more, and each push becomes `returning`: it
/// is stopped, and the device is given back unless the push ends by itself first.
package struct OrderBook: Sendable {
    /// The orders that a gateway keeps. It has at most 64 places, and controllers lend no more
    /// devices than there are places, so a thousand is a mistake of somebody else.
    package static let ordersMax = 1_024

    private enum Work {
        case waiting(Order, number: UInt64)
        case pushing(Order)
        case stopping(isTold: Bool, next: Order?)
        case returning(Order, isTold: Bool)
        case done(Order)
    }

    /// How a push ended.
    package enum Outcome: Sendable, Hashable {
        case succeeded
        /// The same, and the device has signed it.
        case proved(DeviceReceipt)
        case failed(Failure)
        /// It was stopped. What the device has stored stays there.
        case stopped
    }

    package enum Action: Sendable, Hashable {
        case begin(DeviceID, Order)
        case stop(DeviceID)
    }

    private let places: Int
    private var works: [DeviceID: Work] = [:]
    private var lastNumber: UInt64 = 0
    private var isEnding = false

    /// - Parameter places: the number of pushes at once, at least 1.
    package init(places: UInt8) {
        precondition((1...GatewayStatus.placesMax).contains(places))
        self.places = Int(places)
    }

    // MARK: - What comes from the engine

    /// Takes in an order, unless it is known, or there are too many.
    ///
    /// - Returns: whether there is room for it.
    @discardableResult
    package mutating func take(_ order: Order, for device: DeviceID) -> Bool {
        guard !isEnding else { return true }
        switch works[device] {
        case nil:
            guard works.count < Self.ordersMax else { return false }
            works[device] = waiting(order)
        case .waiting(order, _), .pushing(order), .done(order): break
        case .waiting(_, let number): works[device] = .waiting(order, number: number)
        case .done: works[device] = waiting(order)
        case .pushing: works[device] = .stopping(isTold: false, next: order)
        case .stopping(let isTold, _): works[device] = .stopping(isTold: isTold, next: order)
        case .returning: break
        }
        return true
    }

    /// Takes in that a device has no order any more.
    package mutating func withdraw(_ device: DeviceID) {
        switch works[device] {
        case nil: break
        case .waiting, .done: works[device] = nil
        case .pushing: works[device] = .stopping(isTold: false, next: nil)
        case .stopping(let isTold, _): works[device] = .stopping(isTold: isTold, next: nil)
        case .returning(_, let isTold): works[device] = .stopping(isTold: isTold, next: nil)
        }
    }

    private mutating func waiting(_ order: Order) -> Work {
        lastNumber += 1
        return .waiting(order, number: lastNumber)
    }

    // MARK: - What comes from the pushes

    /// Takes in that a push has ended.
    ///
    /// - Returns: what to report, if the order still stands.
    package mutating func pushEnded(_ device: DeviceID, _ outcome: Outcome) -> Report? {
        switch works[device] {
        case .pushing(let order), .returning(let order, _):
            works[device] = .done(order)
            return Self.report(outcome, on: order)
        case .stopping(_, let next):
            works[device] = isEnding ? nil : next.map { waiting($0) }
            return nil
        case nil, .waiting, .done: preconditionFailure("no push of \(device) has begun")
        }
    }

    private static func report(_ outcome: Outcome, on order: Order) -> Report {
        let news: Report.News =
            switch outcome {
            case .succeeded: .succeeded
            case .proved(let receipt): .proved(receipt)
            case .failed(let why): .failed(why)
            case .stopped: .returned
            }
        return Report(campaign: order.campaign, turn: order.turn, news)
    }

    /// The order whose push is under way; `nil` if none is, or if it is to stop.
    package func order(of device: DeviceID) -> Order? {
        if case .pushing(let order) = works[device] { order } else { nil }
    }

    // MARK: - The end

    /// The gateway is about to end.
    ///
    /// - Returns: what to report of the devices whose pushes haven't begun.
    package mutating func end() -> [(DeviceID, Report)] {
        isEnding = true
        var reports: [(DeviceID, Report)] = []
        for (device, work) in works {
            switch work {
            case .waiting(let order, _):
                works[device] = .done(order)
                reports.append((device, Self.report(.stopped, on: order)))
            case .pushing(let order): works[device] = .returning(order, isTold: false)
            case .stopping, .returning, .done: break
            }
        }
        return reports.sorted { $0.0 < $1.0 }
    }

    /// Whether no push is under way.
    package var isIdle: Bool { pushCount == 0 }

    private var pushCount: Int {
        works.values.count { work in
            switch work {
            case .pushing, .stopping, .returning: true
            case .waiting, .done: false
            }
        }
    }

    // MARK: - What to do

    /// The next thing to do; `nil` if there is nothing before something else happens.
    package mutating func nextAction() -> Action? {
        if let device = works.keys.filter({ isToBeTold($0) }).min() {
            switch works[device] {
            case .stopping(_, let next): works[device] = .stopping(isTold: true, next: next)
            case .returning(let order, _): works[device] = .returning(order, isTold: true)
            default: break
            }
            return .stop(device)
        }
        guard !isEnding, pushCount < places, let (device, order) = firstWaiting else { return nil }
        works[device] = .pushing(order)
        return .begin(device, order)
    }

    private func isToBeTold(_ device: DeviceID) -> Bool {
        switch works[device] {
        case .stopping(isTold: false, _), .returning(_, isTold: false): true
        default: false
        }
    }

    /// The order that has waited longest.
    private var firstWaiting: (DeviceID, Order)? {
        var first: (DeviceID, Order, number: UInt64)?
        for case (let device, .waiting(let order, let number)) in works
        where number < first?.number ?? .max {
            first = (device, order, number)
        }
        return first.map { ($0.0, $0.1) }
    }
}
