import FleetGateway
import FleetModel
import FleetSimulation
import FleetStore
import FleetTestSupport
import Glibc
import NATS
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
        // It writes the two side by side.
        try await eventually("the gateway says how many places it has") {
            (try? await site.store.gateways.get(Sample.east))?.value.places == 8
        }
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
        // An order may come before the gateway's first status is written.
        #expect(Set(before.prefix(2).map(\.name)) == ["ready", "began"])
        #expect(before.last?.name == "returned")
        #expect(Set(after.prefix(2).map(\.name)) == ["ready", "began"])
        #expect(after.last?.name == "updated")
    }

    @Test("On SIGTERM, a gateway whose server is gone ends all the same")
    func terminatedAlone() async throws {
        let site = try await Site()
        let east = try site.gatewayProcess(Sample.east)
        try await eventually("it is ready") { try site.log(of: "east").first?.name == "ready" }
        site.server.kill()
        east.terminate()
        // To a server that is there, it tries for ten seconds to say that it ends.
        #expect(try await east.end(within: .seconds(8)) == 0)
    }

    @Test("A second gateway of one name ends with 64, and takes the place of one that was killed")
    func sameName() async throws {
        let site = try await Site()
        func gateway(_ log: String) throws -> ChildProcess {
            try site.toolProcess(
                log,
                [
                    "gateway", "--name", "east", "--cache", site.folder.path("cache-\(log)"),
                    "--sockets", site.devices.string, "--divide-times-by", "10",
                    "--server", site.server.address.description,
                ]
            )
        }
        func text(_ log: String) -> String {
            String(decoding: TestFolder.read(site.folder.path("\(log).log")) ?? [], as: UTF8.self)
        }
        let first = try gateway("first")
        try await eventually("it is ready") { text("first").contains(#""event":"ready""#) }
        #expect(try await gateway("second").end() == 64)
        #expect(text("second").contains(#"{"event":"nameInUse"}"#))
        #expect(!text("second").contains("ready"))
        #expect(
            text("second").hasSuffix(
                "bleota-fleet: another gateway speaks as east: give each gateway a name and a seed "
                    + "of its own.\n"
            )
        )
        #expect(first.endCode == nil)
        first.kill()
        let third = try gateway("third")
        try await eventually("it takes its place") { text("third").contains(#""event":"ready""#) }
        #expect(text("third").contains("nameInUse"))
        // One that starts again in the same place waits for nobody.
        third.kill()
        let again = try gateway("third")
        try await eventually("it is ready") {
            text("third").split(separator: #""event":"ready""#).count == 3
        }
        #expect(text("third").split(separator: "nameInUse").count == 2)
        again.terminate()
        #expect(try await again.end() == 0)
        #expect(try await site.store.gateways.get(Sample.east).value.places == 0)
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
            No server available for connection; check the address, whose port is the one for \
            clients (4222 by default), and whether a nats-server runs there.

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
