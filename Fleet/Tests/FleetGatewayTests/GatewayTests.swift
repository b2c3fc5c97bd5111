import FleetGateway
import FleetModel
import FleetSimulation
import FleetStore
import FleetTestSupport
import NATS
import SystemPackage
import Testing

@Suite("A gateway", .enabled(if: TestServer.isThere, "\(TestServer.isMissing)"))
struct GatewayTests {
    @Test("Carries out an order: the device stores the image, restarts into it, and is reported")
    func order() async throws {
        let site = try await Site()
        let image = try await site.addImage()
        let (events, news) = (Log<GatewayEvent>(), Log<SimulatedDevice.Event>())
        let simulated = site.device()
        let device = Background { () throws(SimulationError) in
            try await simulated.run { news.add($0) }
        }
        let gateway = try site.gateway(Sample.east, events)
        let running = Background { () throws(GatewayError) in try await gateway.run() }

        try await site.awaitSighting()
        let status = try await site.store.gateways.get(Sample.east).value
        #expect(status.places == 8)

        try await site.order(Sample.order(1, of: image.digest))
        try await site.awaitReport(Sample.report(1, .succeeded))
        try await site.awaitSighting(of: Sample.new)
        #expect(news.events.filter { $0 == .verified }.count == 1)
        #expect(news.events.filter { $0 == .ready(Sample.new) }.count == 1)

        // The same image under another turn: the device has it already.
        try await site.order(Sample.order(2, of: image.digest))
        try await site.awaitReport(Sample.report(2, .succeeded))
        #expect(news.events.filter { $0 == .verified }.count == 1)

        #expect(await running.end() == nil)
        #expect(await device.end() == nil)
        #expect(try await site.storedImage() == image.sha256)
        #expect(try await site.store.gateways.get(Sample.east).value.places == 0)
    }

    @Test("Reports what a device refuses, and what doesn't start on it, as the device's failure")
    func refusals() async throws {
        let site = try await Site()
        let image = try await site.addImage()
        let ids = ["picky", "broken"].map { DeviceID($0)! }
        var devices = ids.map { site.device($0) }
        devices[0].temper.refuses = [Sample.new]
        devices[1].temper.failsToStart = [Sample.new]
        let background = devices.map { device in
            Background { () throws(SimulationError) in try await device.run() }
        }
        let gateway = try site.gateway(Sample.east, Log())
        let running = Background { () throws(GatewayError) in try await gateway.run() }
        for id in ids {
            try await site.awaitSighting(id)
            try await site.order(Sample.order(1, of: image.digest), id)
            try await eventually("\(id) fails") {
                guard case .failed(let why) = try await site.report(id)?.news else { return false }
                #expect(why.kind == (id == ids[0] ? .rejected : .refused), "\(why.detail)")
                return true
            }
            // It still runs what it ran before.
            try await site.awaitSighting(id, of: Sample.old)
        }
        #expect(await running.end() == nil)
        for device in background { #expect(await device.end() == nil) }
    }

    /// It was deleted before.
    @Test(
        "A simulated device leaves a file alone that has the name of its socket",
        .timeLimit(.minutes(1))
    )
    func otherFile() async throws {
        let site = try await Site()
        let path = SocketAir.socket(of: Sample.device, in: site.devices).string
        let name = try #require(path.split(separator: "/").last)
        _ = try site.folder.write("a letter", to: String(name))
        await #expect(throws: SimulationError.self) { try await site.device().run { _ in } }
        #expect(TestFolder.read(path) == Array("a letter".utf8))
    }

    @Test("Stops a push whose order is withdrawn, and the next one goes on from there")
    func withdrawn() async throws {
        let site = try await Site()
        let image = try await site.addImage()
        let (events, news) = (Log<GatewayEvent>(), Log<SimulatedDevice.Event>())
        // On a busy machine, the order is withdrawn seconds after the bytes are stored.
        let simulated = site.device(bytesPerSecond: 16_000)
        let device = Background { () throws(SimulationError) in
            try await simulated.run { news.add($0) }
        }
        let gateway = try site.gateway(Sample.east, events)
        let running = Background { () throws(GatewayError) in try await gateway.run() }

        try await site.awaitSighting()
        try await site.order(Sample.order(1, of: image.digest))
        try await news.await("bytes are stored") { event in
            if case .stored(let count, _) = event { count > 30_000 } else { false }
        }
        try await site.withdraw()
        try await events.await("the push stops") { $0 == .ended(Sample.device, .stopped) }
        let stored = try #require(news.events.storedByteCount)
        if case .working = try await site.report()?.news {} else { Issue.record("an outcome") }

        try await site.order(Sample.order(2, of: image.digest))
        try await site.awaitReport(Sample.report(2, .succeeded))
        let resumed = news.events.resumedFromBytes
        #expect(resumed.count == 2 && resumed[1] >= stored, "\(resumed), \(stored)")
        #expect(await running.end() == nil)
        #expect(await device.end() == nil)
        #expect(try await site.storedImage() == image.sha256)
    }

    @Test("Goes on while the engine is away, and reports when it is back")
    func engineAway() async throws {
        let site = try await Site()
        let image = try await site.addImage()
        let (events, news) = (Log<GatewayEvent>(), Log<SimulatedDevice.Event>())
        let simulated = site.device(bytesPerSecond: 64_000)
        let device = Background { () throws(SimulationError) in
            try await simulated.run { news.add($0) }
        }
        let gateway = try site.gateway(Sample.east, events)
        let running = Background { () throws(GatewayError) in try await gateway.run() }

        try await site.awaitSighting()
        try await site.order(Sample.order(1, of: image.digest))
        try await news.await("bytes are stored") { event in
            if case .stored = event { true } else { false }
        }
        site.server.kill()
        try await events.await("the push ends without the engine") {
            $0 == .ended(Sample.device, .succeeded)
        }
        try await events.await("the engine is missed") { event in
            if case .engineAway = event { true } else { false }
        }
        try await site.server.start()
        try await site.store.connection.awaitConnected(within: .seconds(30))
        try await site.awaitReport(Sample.report(1, .succeeded))
        #expect(news.events.filter { $0 == .verified }.count == 1)
        #expect(await running.end() == nil)
        #expect(await device.end() == nil)
        #expect(try await site.storedImage() == image.sha256)
    }

    /// Each question for orders that came back without one was taken for the engine's return.
    @Test("The engine stays away until something was written, also if there are no orders")
    func noAnswer() async throws {
        let site = try await Site()
        let events = Log<GatewayEvent>()
        let gateway = try site.gateway(Sample.east, events, pace: GatewayPace(dividedBy: 10))
        let running = Background { () throws(GatewayError) in try await gateway.run() }
        try await events.await("the gateway is ready") { $0 == .ready(places: 8) }
        // They stand for streams that nobody leads.
        for name in ["KV_fleet-orders", "KV_fleet-gateways"] {
            try await site.store.connection.deleteStream(StreamName(name)!)
        }
        try await events.await("the engine is missed") { event in
            if case .engineAway = event { true } else { false }
        }
        _ = try await FleetStore.create(on: site.store.connection, replicas: .one)
        try await events.await("the engine is back") { $0 == .engineBack }
        try await eventually("the gateway is known again") {
            try await site.present(site.store.gateways, Sample.east) != nil
        }
        #expect(events.events.count { $0 == .engineBack } == 1, "\(events.events)")
        #expect(await running.end() == nil)
    }

    @Test("Refuses an image that isn't the one of its digest, and says whose fault it is")
    func lyingDigest() async throws {
        let site = try await Site()
        let other = Digest([UInt8](repeating: 1, count: 32))!
        try await site.store.images.store([UInt8](repeating: 9, count: 300_000), as: other)
        let simulated = site.device()
        let news = Log<SimulatedDevice.Event>()
        let device = Background { () throws(SimulationError) in
            try await simulated.run { news.add($0) }
        }
        let gateway = try site.gateway(Sample.east, Log())
        let running = Background { () throws(GatewayError) in try await gateway.run() }
        try await site.order(Sample.order(1, of: other))
        let why = ImageCacheError.wrongBytes(other).description
        try await site.awaitReport(Sample.report(1, .failed(Failure(.gateway, why))))
        #expect(news.events.resumedFromBytes.isEmpty)
        // Nor does a gateway wait for an image that isn't there.
        let missing = Digest([UInt8](repeating: 2, count: 32))!
        try await site.order(Sample.order(2, of: missing))
        try await eventually("it is missed") {
            if case .failed(let why) = try await site.report()?.news, why.kind == .gateway {
                return try await site.report()?.turn == Turn(2)
            }
            return false
        }
        #expect(await running.end() == nil)
        #expect(await device.end() == nil)
        #expect(TestFolder.read(site.folder.path("cache-east/\(other.hexadecimal)")) == nil)
        #expect(TestFolder.read(site.folder.path("cache-east/\(other.hexadecimal).part")) == nil)
    }

    @Test("Ignores an order that it can't read, and lets the one before it go")
    func unreadable() async throws {
        let site = try await Site()
        let events = Log<GatewayEvent>()
        let gateway = try site.gateway(Sample.east, events)
        let running = Background { () throws(GatewayError) in try await gateway.run() }
        let bucket = try await site.store.connection.bucket(FleetStore.Part.orders.bucket)
        _ = try await bucket.create(DeviceAtGateway(Sample.device, at: Sample.east).key, [0xFF])
        try await events.await("it says so") {
            if case .orderIgnored = $0 { true } else { false }
        }
        #expect(try await site.report() == nil)
        #expect(await running.end() == nil)
    }
}

extension [SimulatedDevice.Event] {
    /// The bytes that were durable last.
    var storedByteCount: Int? {
        compactMap { if case .stored(let count, _) = $0 { count } else { nil } }.last
    }

    /// From where each transfer went on.
    var resumedFromBytes: [Int] {
        compactMap { if case .started(let byte) = $0 { byte } else { nil } }
    }
}
