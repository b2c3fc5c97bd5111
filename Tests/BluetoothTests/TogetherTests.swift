import BLEOTA
import BLEOTABlueZ
import BLEOTATestSupport
import BlueZ
import Synchronization
import Testing

/// Two links at a time, over three controllers and scripts/guest/radio.py: btvirt alone mixes two
/// links up, by which the guest's kernel gets to fault.
@Suite(
    "Two links at a time",
    .enabled(if: Guest.runs("controllers=3"), "runs in the guest: make test-bluez"),
    .serialized,
    .timeLimit(.minutes(10))
)
struct TogetherTests {
    private let place = ToolDirectory()
    private let otherPlace = ToolDirectory()

    @Test("Two devices get an image side by side")
    func parallel() async throws {
        let first = try await ReceivingDevice(in: place, "--name", "kitchen")
        let second = try await ReceivingDevice(
            in: otherPlace,
            adapter: Guest.otherDevice,
            "--name",
            "cellar"
        )
        let push = try RunningTool(
            [
                "push", place.image(262_144), "--device", "kitchen", "--device", "cellar",
                "--parallel", "2", "--adapter", Guest.central, "--json",
            ],
            in: place
        )
        let result = try await push.end(within: 240)
        #expect(result.status == 0, "\(result.errors)")
        let results = result.events.filter { $0.name == "result" }
        #expect(results.count == 2)
        for event in results { #expect(event.fields["verified"] as? Bool == true, "\(event)") }
        #expect(first.current == place.bytes("image.bin"))
        #expect(second.current == place.bytes("image.bin"))
        // Side by side the one makes progress between two steps of the other, again and again.
        let devices = result.events.filter { $0.name == "progress" }.compactMap {
            $0.text("device")
        }
        let changeCount = zip(devices, devices.dropFirst()).count { $0 != $1 }
        print("use: side by side, the lines change their device \(changeCount) times")
        #expect(changeCount >= 5)
        _ = try await first.stop()
        _ = try await second.stop()
    }

    @Test("Two centrals subscribe, each hears all, and one still does when the other leaves")
    func twoCentrals() async throws {
        let peripheral = try await UsesPeripheral.start()
        let client = try await BlueZClient.open(within: .seconds(30))
        defer { client.close() }
        let heard = Mutex<[String: [[UInt8]]]>([:])
        var devices: [Device] = []
        var remotes: [RemoteCharacteristic] = []
        var subscriptions: [BlueZSubscription] = []
        for adapter in [Guest.central, Guest.otherDevice] {
            let device = try await UsesPeripheral.connected(from: client, adapter: adapter)
            let remote = try await device.service(UsesPeripheral.main)
                .characteristic(UsesPeripheral.ticks)
            subscriptions.append(
                try await remote.subscribe { value in
                    heard.withLock { $0[adapter, default: []].append(value) }
                }
            )
            devices.append(device)
            remotes.append(remote)
        }
        #expect(devices.filter(\.isConnected).count == 2)
        let ticks = peripheral.characteristic(UsesPeripheral.ticks)
        #expect(ticks.isSubscribed)
        let values = (0..<50).map { [UInt8($0)] }
        for value in values { try await ticks.notify(value) }
        try await UsesPatience.wait(for: "all values at both") {
            heard.withLock { $0.values.count == 2 && $0.values.allSatisfy { $0.count >= 50 } }
        }
        for (_, list) in heard.withLock({ $0 }) { #expect(list == values) }
        // The daemon tells of the first that comes and the last that goes.
        try await remotes[0].unsubscribe()
        #expect(ticks.isSubscribed)
        try await ticks.notify([0xFF])
        try await UsesPatience.wait(for: "the value at the other") {
            heard.withLock { $0[Guest.otherDevice]?.last == [0xFF] }
        }
        #expect(heard.withLock { $0[Guest.central]?.count } == 50)
        try await remotes[1].unsubscribe()
        for subscription in subscriptions { subscription.end() }
        for device in devices { try await device.disconnect() }
        try await peripheral.hasNoted("unsubscribed \(ticks.uuid)")
        #expect(!ticks.isSubscribed)
        await peripheral.stop()
    }
}
