import FleetGateway
import FleetModel
import FleetStore
import FleetTestSupport
import Foundation
import Testing

@testable import FleetTool

@Suite(
    "bleota-fleet gateway",
    .enabled(if: TestServer.isThere, "\(TestServer.isMissing)")
)
struct GatewayProcessTests {
    /// It said that the folder can't be read, and not what becomes of that.
    @Test("Says that it waits for a folder of devices that isn't there, and hears them once it is")
    func missingFolder() async throws {
        let office = try await Office()
        let folder = office.server.folder.path("devices")
        let output = office.server.folder.path("gateway.log")
        let cache = office.server.folder.path("cache")
        let words = ["gateway", "--name", "east", "--cache", cache, "--sockets", folder]
        let gateway = try office.start(words, output: output)
        let text = { String(decoding: TestFolder.read(output) ?? [], as: UTF8.self) }
        let sentence = """
            no devices are heard: waiting for the folder \(folder), which isn't there: make it, or \
            give another one with --sockets

            """
        try await eventually("it waits") { text().contains(sentence) }
        try await eventually("it is ready") { text().contains("ready to update") }
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: false
        )
        try Data("hardware lamp\nversion 1.0.0\nstrength -50\n".utf8).write(
            to: URL(fileURLWithPath: folder + "/lamp.advert")
        )
        try Data().write(to: URL(fileURLWithPath: folder + "/lamp.sock"))
        try await eventually("it hears a device") {
            let name = DeviceAtGateway(DeviceID("lamp")!, at: Sample.east)
            return (try? await office.store.sightings.get(name)) != nil
        }
        // It was silent then, as if nothing had been mended.
        try await eventually("it says so") { text().hasSuffix("\ndevices are heard again\n") }
        gateway.terminate()
        #expect(try await gateway.end() == 0)
    }

    /// It was left out without a word.
    @Test(
        "Says which file of a device has a wrong value, once, and hears the device once it is right"
    )
    func wrongFile() async throws {
        let office = try await Office()
        let folder = office.server.folder.path("devices")
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: false
        )
        func write(_ name: String, _ text: String) throws {
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
        }
        let good = "hardware lamp\nversion 1.0.0\nstrength -50\n"
        try write("attic.advert", "hardware lamp\nversion 1.0.0\nstrength loud\n")
        try write("attic.sock", "")
        try write("big lamp.advert", good)
        try write("big lamp.sock", "")
        let output = office.server.folder.path("gateway.log")
        let cache = office.server.folder.path("cache")
        let words = ["gateway", "--name", "east", "--cache", cache, "--sockets", folder, "--json"]
        let gateway = try office.start(words, output: output)
        let text = { String(decoding: TestFolder.read(output) ?? [], as: UTF8.self) }
        func count(_ sentence: String) -> Int {
            text().split(separator: "\n").count { $0.contains(sentence) }
        }
        let wrong = "\(folder)/attic.advert: a strength is -127 to 20, not 'loud'"
        try await eventually("the value is named") { count(wrong) == 1 }
        let nameless = "\(folder)/big lamp.advert: the name of a device is 1 to 64 letters"
        try await eventually("the name is named") { count(nameless) == 1 }
        try write("attic.advert", good)
        try await eventually("it hears the device") {
            let name = DeviceAtGateway(DeviceID("attic")!, at: Sample.east)
            return (try? await office.store.sightings.get(name)) != nil
        }
        gateway.terminate()
        #expect(try await gateway.end() == 0)
        #expect(count(wrong) == 1 && count(nameless) == 1, "\(text())")
        #expect(OutputSchema.current.describes(text()), "\(text())")
    }

    /// A device whose installation failed was said to have refused the image, and was tried again,
    /// while a refusal is final.
    @Test("Only a refusal for good is called a refusal")
    func words() throws {
        let device = try #require(DeviceID("attic"))
        for (kind, words) in [
            (.rejected, "refused for good"), (.refused, "not updated"),
            (.unreachable, "unreachable"), (.gateway, "not updated, by a fault of this gateway"),
        ] as [(Failure.Kind, String)] {
            let event = GatewayEvent.ended(device, .failed(Failure(kind, "why")))
            #expect(GatewayDisplay.words(event) == "attic  \(words): why")
        }
    }

    @Test("Two gateways don't share a cache, and the second is told what to do")
    func cache() async throws {
        let office = try await Office()
        let folder = office.server.folder
        func words(_ name: String) -> [String] {
            let cache = folder.path("cache")
            return [
                "gateway", "--name", name, "--cache", cache, "--sockets", folder.path("devices"),
            ]
        }
        let output = folder.path("east.log")
        let east = try office.start(words("east"), output: output)
        try await eventually("the first is there") { TestFolder.read(output)?.isEmpty == false }
        let west = try await office.run(words("west"))
        #expect(west.text.contains("give this one a folder of its own with --cache.\n"))
        #expect(west.code == 75)
        east.terminate()
        #expect(try await east.end() == 0)
    }
}
