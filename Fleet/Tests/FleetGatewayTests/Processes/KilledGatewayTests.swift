import FleetGateway
import FleetModel
import FleetSimulation
import FleetTestSupport
import Testing

@Suite("A gateway that is killed", .enabled(if: TestServer.isThere, "\(TestServer.isMissing)"))
struct KilledGatewayTests {
    @Test(
        "At any byte of a push: another gateway sends the rest",
        .serialized,
        arguments: Rounds.seeds(5, full: 50)
    )
    func killed(seed: UInt64) async throws {
        let site = try await Site(seed: seed)
        let byteCount = 128 << 10
        let image = try await site.addImage(byteCount: byteCount)
        let news = Log<SimulatedDevice.Event>()
        let bytesPerSecond = 64_000
        let simulated = site.device(bytesPerSecond: UInt32(bytesPerSecond))
        let device = Background { () throws(SimulationError) in
            try await simulated.run { news.add($0) }
        }
        let east = try site.gatewayProcess(Sample.east)
        let west = try site.gatewayProcess(Sample.west)
        try await site.awaitSighting(at: Sample.east)
        try await site.awaitSighting(at: Sample.west)

        try await site.order(Sample.order(1, of: image.digest), at: Sample.east)
        try await news.await("the push begins") { if case .started = $0 { true } else { false } }
        var dice = Dice(seed: seed)
        let byte = Int.random(in: 0..<byteCount, using: &dice)
        // The link is as slow as this, so a byte is a moment.
        try await Task.sleep(for: .seconds(Double(byte) / Double(bytesPerSecond)))
        east.kill()

        try await site.withdraw(at: Sample.east)
        try await site.order(Sample.order(2, of: image.digest), at: Sample.west)
        try await site.awaitReport(Sample.report(2, .succeeded), at: Sample.west)
        west.terminate()
        #expect(try await west.end() == 0)
        #expect(await device.end() == nil)

        // Each push went on from what was durable, and the device has taken the image once.
        var stored = 0
        var pushCount = 0
        for event in news.events {
            switch event {
            case .started(let start):
                pushCount += 1
                #expect(start >= stored, "byte \(byte)")
            case .stored(let count, _): stored = count
            default: break
            }
        }
        let verifiedCount = news.events.filter { $0 == .verified }.count
        #expect(verifiedCount == 1)
        #expect(pushCount >= 2 || news.events.contains(.hadItAlready), "byte \(byte)")
        let resumed = news.events.resumedFromBytes
        let progress = try site.log(of: "west").first { $0.name == "progress" }
        if pushCount >= 2 {
            #expect((progress?.number("storedBytes") ?? 0) >= resumed[1], "byte \(byte)")
        }
        print("seed \(seed): killed after the time of \(byte) bytes, pushes from \(resumed)")
        #expect(try await site.storedImage() == image.sha256)
    }
}
