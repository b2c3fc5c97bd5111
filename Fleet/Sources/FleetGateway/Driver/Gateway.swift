package import FleetModel
package import FleetStore
import NATS

/// A gateway: tells which devices it hears, carries out the orders for it, and reports.
///
/// What to do is decided by ``OrderBook``, ``SightingBook`` and ``ReportBook``. This asks them, and
/// does it. If the engine goes away, the pushes go on, and are reported when it is back.
package actor Gateway {
    /// How long a gateway that ends waits for its pushes to stop, and then for its last words to
    /// be written. A push stops at the end of a block, within a second; the engine answers in
    /// milliseconds. systemd kills after 90 s.
    static let endLimit = Duration.seconds(10)
    /// The same while the engine is away: it may be back in the next moment, and what isn't said
    /// then costs a minute of silence, or a push that ends at once.
    static let awayLimit = Duration.milliseconds(500)
    /// How long one question for orders waits for an answer. 200 gateways ask 40 times a second,
    /// because each asks for what is there first.
    static let orderLimit = Duration.seconds(10)

    let id: GatewayID
    let store: FleetStore
    let air: any Air
    let images: ImageCache
    let places: UInt8
    let program: FirmwareVersion
    let pace: GatewayPace
    let tell: @Sendable (GatewayEvent) -> Void

    var orders: OrderBook
    var sightings: SightingBook
    var reports: ReportBook
    var claim: NameClaim
    private var pushes: [DeviceID: Task<Void, Never>] = [:]
    /// Rings when a report may be due.
    let bell: AsyncStream<Void>
    let ring: AsyncStream<Void>.Continuation
    private var absence = EngineAbsence()
    /// Why no device is heard, as it was told last.
    private var airProblem: String?

    /// - Parameters:
    ///   - images: the cache, which no other gateway uses.
    ///   - places: the number of pushes at once; `nil` for what the adapter usually manages.
    ///   - tell: called with what happens. It must return at once.
    package init(
        _ id: GatewayID,
        store: FleetStore,
        air: some Air,
        images: ImageCache,
        places: UInt8? = nil,
        program: FirmwareVersion,
        pace: GatewayPace = GatewayPace(),
        tell: @escaping @Sendable (GatewayEvent) -> Void = { _ in }
    ) {
        self.id = id
        self.store = store
        self.air = air
        self.images = images
        self.places = places ?? air.usualPlaces
        self.program = program
        self.pace = pace
        self.tell = tell
        orders = OrderBook(places: self.places)
        sightings = SightingBook(pause: pace.sightingPause)
        reports = ReportBook(pause: pace.reportPause)
        claim = NameClaim(images.instance, silenceMax: pace.nameSilenceMax)
        (bell, ring) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Works until the task is cancelled, and then gives all devices back.
    ///
    /// - Throws: what can't be mended by trying again.
    package func run() async throws(GatewayError) {
        // Before that, nothing is said and nothing done under its name.
        guard try await claimName() else { return }
        let failure = await withTaskGroup(of: GatewayError?.self) { group in
            for part in Part.allCases { group.addTask { await self.failure(of: part) } }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
        // In a task of its own: the one of the caller has been cancelled.
        await Task { await handOver() }.value
        if let failure { throw failure }
    }

    /// What a gateway does all the time, side by side.
    private enum Part: CaseIterable {
        case beat, listen, followOrders, writeSightings, writeReports, ring
    }

    private func failure(of part: Part) async -> GatewayError? {
        do throws(GatewayError) {
            switch part {
            case .beat: try await beat()
            case .listen: try await listen()
            case .followOrders: try await followOrders()
            case .writeSightings: try await writeSightings()
            case .writeReports: try await writeReports()
            case .ring: await keepRinging()
            }
            return nil
        } catch {
            return error
        }
    }

    private func keepRinging() async {
        while !Task.isCancelled {
            ring.yield()
            try? await Task.sleep(for: pace.tick.duration)
        }
    }

    private func listen() async throws(GatewayError) {
        while !Task.isCancelled {
            do throws(AirError) {
                try await air.listen { device in
                    await self.hear(device)
                } leftOut: { why in
                    self.tell(.deviceIgnored(why))
                }
            } catch {
                guard !error.isPermanent else { throw .air(error) }
                // It may take days until somebody mends it.
                if airProblem != error.description { tell(.airAway(error.description)) }
                airProblem = error.description
                try? await Task.sleep(for: pace.pause.duration)
            }
        }
    }

    private func hear(_ device: HeardDevice) {
        if airProblem != nil { tell(.airBack) }
        airProblem = nil
        sightings.hear(device, at: SystemTime.uptime)
    }

    // MARK: - Orders

    func take(_ order: Order, for device: DeviceID) {
        if !orders.take(order, for: device) {
            tell(.orderIgnored("there are more than \(OrderBook.ordersMax) orders"))
        }
        reports.drop(device, unlessOf: order.turn)
        act()
    }

    func withdraw(_ device: DeviceID) {
        orders.withdraw(device)
        reports.drop(device)
        act()
    }

    func act() {
        while let action = orders.nextAction() {
            switch action {
            case .begin(let device, let order):
                tell(.began(device, order))
                pushes[device] = Task { await self.carryOut(order, device) }
            case .stop(let device): pushes[device]?.cancel()
            }
        }
    }

    private func carryOut(_ order: Order, _ device: DeviceID) async {
        let outcome = await outcome(of: order, device)
        pushes[device] = nil
        if let report = orders.pushEnded(device, outcome) { note(report, of: device) }
        tell(.ended(device, outcome))
        act()
    }

    private nonisolated func outcome(of order: Order, _ device: DeviceID) async -> OrderBook.Outcome
    {
        let image: CachedImage
        do throws(ImageCacheError) {
            image = try await images.image(order.image)
        } catch {
            return error == .stopped ? .stopped : .failed(Failure(.gateway, error.description))
        }
        do throws(PushError) {
            try await air.push(image.firmware, to: device) { progress in
                await self.progressed(progress, order, device)
            }
            guard let nonce = order.nonce,
                let receipt = try await air.receipt(of: device, nonce)
            else { return .succeeded }
            return .proved(receipt)
        } catch {
            switch error {
            case .stopped: return .stopped
            case .failed(let why): return .failed(why)
            }
        }
    }

    private func progressed(_ progress: PushProgress, _ order: Order, _ device: DeviceID) {
        guard orders.order(of: device) == order else { return }
        tell(.progressed(device, progress))
        let news = Report.News.working(
            storedByteCount: progress.storedByteCount,
            byteCount: progress.byteCount
        )
        note(Report(campaign: order.campaign, turn: order.turn, news), of: device)
    }

    private func note(_ report: Report, of device: DeviceID) {
        reports.note(report, of: device)
        ring.yield()
    }

    // MARK: - The end

    private func handOver() async {
        for (device, report) in orders.end() { reports.note(report, of: device) }
        act()
        // Nobody lends devices to a gateway without places while its pushes end.
        async let status: Void = sayLast()
        await wait(until: .now + Self.endLimit) { orders.isIdle }
        await status
        let start = ContinuousClock.now
        while !reports.isSettled, .now < start + patience {
            do throws(GatewayError) { try await writeDueReports() } catch { break }
            if !reports.isSettled { try? await Task.sleep(for: .milliseconds(100)) }
        }
    }

    /// How long the last words may take to be written.
    var patience: Duration { absence.isAway ? Self.awayLimit : Self.endLimit }

    private func wait(until deadline: ContinuousClock.Instant, _ condition: () -> Bool) async {
        while !condition(), .now < deadline { try? await Task.sleep(for: .milliseconds(20)) }
    }

    // MARK: - The engine

    /// Does something with the engine.
    ///
    /// - Parameter isAnswer: whether what came shows that the engine is there.
    /// - Returns: `nil` if it should be tried again.
    /// - Throws: what trying again doesn't mend.
    func asking<Value: Sendable>(
        isAnswer: (Value) -> Bool = { _ in true },
        _ body: () async throws(FleetStoreError) -> Value
    ) async throws(GatewayError) -> Value? {
        do throws(FleetStoreError) {
            let value = try await body()
            if isAnswer(value), absence.succeeded() { tell(.engineBack) }
            return value
        } catch {
            guard error.mayPass else { throw .engine(error) }
            if !Task.isCancelled, absence.failed(error) { tell(.engineAway(error.description)) }
            return nil
        }
    }
}
