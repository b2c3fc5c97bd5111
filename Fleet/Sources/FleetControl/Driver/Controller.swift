package import FleetModel
package import FleetStore
import NATS

/// A controller: while it has the seat, it decides which device is updated when, and through which
/// gateway. Any number of them may run; one is active.
///
/// What to write is decided by ``Planner``. This tells it what is on the server, and writes. Each
/// term begins with nothing in memory.
package actor Controller {
    /// The pause before what failed for a moment is tried again.
    static let pause = Duration.milliseconds(200)

    let id: ControllerID
    let store: FleetStore
    /// The same store through another connection, for the watches: while they bring a million
    /// values, the answer to a renewal of the seat would wait behind them.
    private let reading: FleetStore
    let pace: Pace
    private let devicesPerGateway: Int
    let tell: @Sendable (ControllerEvent) -> Void

    var planner: Planner
    var hold: Hold?
    /// The watches of this term that haven't seen everything yet.
    private var unread: Set<Part> = []
    private var term: Task<Void, Never>?
    private var failure: ControllerError?
    private var ring: AsyncStream<Void>.Continuation?
    var absence = EngineAbsence()

    /// - Parameters:
    ///   - id: a name that no other controller has, nor an earlier process of this one.
    ///   - reading: the same store through a connection of its own, which large fleets need.
    ///   - devicesPerGateway: the largest number that is believed of one gateway.
    ///   - tell: called with what happens. It must return at once.
    package init(
        _ id: ControllerID,
        store: FleetStore,
        reading: FleetStore? = nil,
        pace: Pace = Pace(),
        devicesPerGateway: Int = HeardCounts.usualMax,
        tell: @escaping @Sendable (ControllerEvent) -> Void = { _ in }
    ) {
        self.id = id
        self.store = store
        self.reading = reading ?? store
        self.pace = pace
        self.devicesPerGateway = devicesPerGateway
        self.tell = tell
        planner = Self.planner(pace, devicesPerGateway)
    }

    private static func planner(_ pace: Pace, _ devicesPerGateway: Int) -> Planner {
        Planner(pace, devicesPerGateway: devicesPerGateway) {
            // With the system's random number generator.
            let bytes = (0..<Nonce.byteCount).map { _ in UInt8.random(in: .min ... .max) }
            guard let nonce = Nonce(bytes) else { preconditionFailure("a nonce has 12 bytes") }
            return nonce
        }
    }

    /// Works until the task is cancelled, and then leaves the seat.
    ///
    /// - Throws: what can't be mended by trying again.
    package func run() async throws(ControllerError) {
        while !Task.isCancelled, failure == nil {
            if hold == nil { try await takeSeat() }
            if hold != nil { await work() }
        }
        // In a task of its own: the one of the caller has been cancelled.
        await Task { await leaveSeat() }.value
        if let failure { throw failure }
    }

    // MARK: - A term

    /// What an active controller does all the time, side by side.
    private enum Part: CaseIterable {
        case keepSeat, tick, decide
        case campaigns, progress, gateways, sightings, reports, orders, keys

        var isWatch: Bool {
            switch self {
            case .keepSeat, .tick, .decide: false
            case .campaigns, .progress, .gateways, .sightings, .reports, .orders, .keys: true
            }
        }
    }

    /// Works until the seat is lost, or all has to be read again.
    private func work() async {
        planner = Self.planner(pace, devicesPerGateway)
        unread = Set(Part.allCases.filter(\.isWatch))
        let (bell, ring) = AsyncStream.makeStream(
            of: Void.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        self.ring = ring
        let term = Task { await self.readAndDecide(bell) }
        self.term = term
        await withTaskCancellationHandler {
            await term.value
        } onCancel: {
            term.cancel()
        }
        self.term = nil
    }

    private func readAndDecide(_ bell: AsyncStream<Void>) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.run(.keepSeat, bell) }
            // The records come first, because everything else is compared with them.
            await follow(reading.devices) { change in
                if case .caughtUp = change {
                    for part in Part.allCases where part != .keepSeat {
                        group.addTask { await self.run(part, bell) }
                    }
                }
                take(change)
            }
            group.cancelAll()
        }
    }

    private func run(_ part: Part, _ bell: AsyncStream<Void>) async {
        switch part {
        case .keepSeat: await keepSeat()
        case .tick: await tick()
        case .decide: await decide(bell)
        case .campaigns: await follow(reading.campaigns) { take($0) }
        case .progress: await follow(reading.progress) { take($0) }
        case .gateways: await follow(reading.gateways) { take($0) }
        case .sightings: await follow(reading.sightings) { take($0) }
        case .reports: await follow(reading.reports) { take($0) }
        case .orders: await follow(reading.orders) { take($0) }
        case .keys: await follow(reading.keys) { take($0) }
        }
        endTerm()
    }

    func endTerm() { term?.cancel() }

    func wake() { ring?.yield() }

    private func tick() async {
        while !Task.isCancelled {
            wake()
            try? await Task.sleep(for: .milliseconds(pace.tick.milliseconds))
        }
    }

    // MARK: - Watches

    /// Takes in the changes of a shelf until the term ends, or they have to be read again.
    private func follow<Name, Value>(
        _ shelf: Shelf<Name, Value>,
        _ take: (Shelf<Name, Value>.Change) -> Void
    ) async {
        while !Task.isCancelled {
            let watch = await asking { () throws(FleetStoreError) in try await shelf.watch() }
            guard let watch else {
                try? await Task.sleep(for: Self.pause)
                continue
            }
            _ = await asking { () throws(FleetStoreError) in
                for try await change in watch {
                    if case .startedOver = change { return }
                    take(change)
                    wake()
                }
            }
            return
        }
    }

    private func caughtUp(_ part: Part) {
        unread.remove(part)
        guard unread.isEmpty else { return }
        planner.catchUp()
        tell(.ready(devices: planner.deviceCount))
    }

    private func ignore(_ key: Key) { tell(.ignored("what is stored as \(key) can't be read")) }

    private func take(_ change: Shelf<DeviceID, DeviceRecord>.Change) {
        switch change {
        case .value(let entry):
            planner.see(
                entry.value,
                entry.revision,
                stored: entry.moment,
                at: SystemTime.uptime
            )
        case .deleted(let device, _): planner.forget(device)
        case .unreadable(let key, _):
            ignore(key)
            DeviceID(key).map { planner.exclude($0) }
        case .caughtUp, .startedOver: break
        }
    }

    private func take(_ change: Shelf<CampaignID, Campaign>.Change) {
        switch change {
        case .value(let entry): planner.see(entry.value, entry.revision)
        case .deleted(let campaign, _): planner.forget(campaign)
        case .unreadable(let key, _):
            ignore(key)
            CampaignID(key).map { planner.forget($0) }
        case .caughtUp: caughtUp(.campaigns)
        case .startedOver: break
        }
    }

    private func take(_ change: Shelf<CampaignID, Progress>.Change) {
        switch change {
        case .value(let entry): planner.see(entry.value, of: entry.name, entry.revision)
        case .deleted(let campaign, let last): planner.forgetProgress(of: campaign, upTo: last)
        case .unreadable(let key, let revision):
            ignore(key)
            CampaignID(key).map { planner.see(nil, of: $0, revision) }
        case .caughtUp: caughtUp(.progress)
        case .startedOver: break
        }
    }

    private func take(_ change: Shelf<GatewayID, GatewayStatus>.Change) {
        switch change {
        case .value(let entry): planner.see(entry.value, of: entry.name, at: SystemTime.uptime)
        case .deleted(let gateway, _): planner.forget(gateway)
        case .unreadable(let key, _):
            ignore(key)
            GatewayID(key).map { planner.forget($0) }
        case .caughtUp: caughtUp(.gateways)
        case .startedOver: break
        }
    }

    private func take(_ change: Shelf<DeviceAtGateway, Sighting>.Change) {
        switch change {
        case .value(let entry): planner.see(entry.value, entry.name, stored: entry.moment)
        case .deleted(let name, _): planner.forgetSighting(name)
        case .unreadable(let key, _):
            ignore(key)
            DeviceAtGateway(key).map { planner.forgetSighting($0) }
        case .caughtUp: caughtUp(.sightings)
        case .startedOver: break
        }
    }

    private func take(_ change: Shelf<DeviceAtGateway, Report>.Change) {
        switch change {
        case .value(let entry): planner.see(entry.value, entry.name, at: SystemTime.uptime)
        case .unreadable(let key, _): ignore(key)
        case .caughtUp: caughtUp(.reports)
        case .deleted, .startedOver: break
        }
    }

    private func take(_ change: Shelf<DeviceAtGateway, Order>.Change) {
        switch change {
        case .value(let entry): planner.see(entry.value, entry.name, entry.revision)
        case .deleted(let name, let revision): planner.forgetOrder(name, upTo: revision)
        case .unreadable(let key, let revision):
            ignore(key)
            DeviceAtGateway(key).map { planner.see(nil, $0, revision) }
        case .caughtUp: caughtUp(.orders)
        case .startedOver: break
        }
    }

    private func take(_ change: Shelf<DeviceID, DeviceKey>.Change) {
        switch change {
        case .value(let entry): planner.see(entry.value, of: entry.name)
        case .unreadable(let key, _): ignore(key)
        case .caughtUp: caughtUp(.keys)
        case .deleted, .startedOver: break
        }
    }

    // MARK: - The engine

    /// Does something with the engine.
    ///
    /// - Returns: `nil` if it should be tried again, or if the term is over because that would not
    ///   help.
    func asking<Answer: Sendable>(
        _ body: () async throws(FleetStoreError) -> Answer
    ) async -> Answer? {
        do throws(FleetStoreError) {
            let answer = try await body()
            // A watch that is cancelled ends without a server, too.
            if !Task.isCancelled, absence.succeeded() { tell(.engineBack) }
            return answer
        } catch {
            if error.mayPass {
                if !Task.isCancelled, absence.failed(error) { tell(.engineAway(error.description)) }
            } else {
                failure = failure ?? ControllerError(reason: error)
                endTerm()
            }
            return nil
        }
    }
}
