import FleetGateway
import FleetModel
import FleetSimulation
import FleetStore
import FleetTestSupport
import Glibc
import Testing

import struct SystemPackage.FilePath

@Suite("The tool's processes", .enabled(if: TestServer.isThere, "\(TestServer.isMissing)"))
struct ToolProcessTests {
    @Test("On SIGTERM, a gateway gives its device back, and the next goes on")
    func terminated() async throws {
        let site = try await Site()
        let image = try await site.addImage()
        let news = Log<SimulatedDevice.Event>()
        let simulated = site.device(bytesPerSecond: 64_000)
        let device = Background { () throws(SimulationError) in
            try await simulated.run { news.add($0) }
        }
        let east = try site.gatewayProcess(Sample.east)
        try await site.awaitSighting(at: Sample.east)
        #expect(try await site.store.gateways.get(Sample.east).value.places == 8)
        try await site.order(Sample.order(1, of: image.digest), at: Sample.east)
        try await news.await("bytes are stored") { event in
            if case .stored(let count, _) = event { count > 30_000 } else { false }
        }
        east.terminate()
        #expect(try await east.end() == 0)
        #expect(try await site.report() == Sample.report(1, .returned))
        #expect(try await site.store.gateways.get(Sample.east).value.places == 0)
        let stored = try #require(news.events.storedByteCount)
        #expect(!news.events.contains(.verified))

        try await site.withdraw(at: Sample.east)
        let west = try site.gatewayProcess(Sample.west)
        try await site.awaitSighting(at: Sample.west)
        try await site.order(Sample.order(2, of: image.digest), at: Sample.west)
        try await site.awaitReport(Sample.report(2, .succeeded), at: Sample.west)
        west.terminate()
        #expect(try await west.end() == 0)
        #expect(await device.end() == nil)
        let resumed = news.events.resumedFromBytes
        #expect(resumed.count == 2 && resumed[1] >= stored, "\(resumed), \(stored)")
        #expect(try await site.storedImage() == image.sha256)

        let (before, after) = (try site.log(of: "east"), try site.log(of: "west"))
        #expect(before.prefix(2).map(\.name) == ["ready", "began"])
        #expect(before.last?.name == "returned")
        #expect(after.prefix(2).map(\.name) == ["ready", "began"])
        #expect(after.last?.name == "updated")
    }

    @Test(
        "A signal ends a service, as an error only if it is SIGINT",
        arguments: [(SIGTERM, 0), (SIGHUP, 0), (SIGINT, 130)] as [(Int32, Int32)]
    )
    func signals(number: Int32, code: Int32) async throws {
        let folder = try TestFolder()
        let log = folder.path("log")
        let words = ["simulate", "--folder", folder.path("devices"), "--devices", "1", "--json"]
        let process = try ChildProcess([Tool.path] + words, output: log)
        try await eventually("the device is ready") { TestFolder.read(log)?.isEmpty == false }
        process.send(number)
        #expect(try await process.end() == code)
    }

    @Test("A server that isn't there is an error of one sentence")
    func noServer() async throws {
        let folder = try TestFolder()
        let words = ["gateway", "--name", "east", "--cache", "cache", "--sockets", "devices"]
        let process = try ChildProcess(
            [Tool.path] + words + ["--server", "localhost:1"],
            output: folder.path("log")
        )
        #expect(try await process.end() == 69)
        let sentence = """
            bleota-fleet: connecting to nats://localhost:1: not connected at present: \
            No server available for connection.

            """
        #expect(TestFolder.read(folder.path("log")) == Array(sentence.utf8))
    }

    @Test("Simulated devices take an image, print what happens to them, and end on SIGTERM")
    func simulated() async throws {
        let site = try await Site()
        let image = try await site.addImage(byteCount: 20_000)
        let id = try #require(DeviceID("device-002"))
        let devices = try site.toolProcess(
            "devices",
            ["simulate", "--folder", site.devices.string, "--devices", "2"]
        )
        let east = try site.gatewayProcess(Sample.east)
        try await site.awaitSighting(id)
        try await site.order(Sample.order(1, of: image.digest), id)
        try await site.awaitReport(Sample.report(1, .succeeded), id)
        try await site.awaitSighting(id, of: Sample.new)
        for process in [east, devices] {
            process.terminate()
            #expect(try await process.end() == 0)
        }
        let names = try site.log(of: "devices").map(\.name)
        for name in ["started", "progress", "verified"] { #expect(names.contains(name)) }
        #expect(names.filter { $0 == "ready" }.count == 3)
        #expect(try site.log(of: "east").last?.name == "updated")
    }
}
