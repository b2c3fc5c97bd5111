import BLEOTA
import BLEOTABlueZ
import BLEOTATestSupport
import BlueZ
import Synchronization
import Testing

/// What people see of an adapter that can't be used, and who waits until it can.
@Suite(
    "Uses: states of an adapter",
    .enabled(
        if: Guest.runs("plain") && Guest.isEmulated,
        "runs in the guest: make test-bluez"
    ),
    .serialized,
    .timeLimit(.minutes(10))
)
struct UsesStatesTests {
    private let place = ToolDirectory()

    @Test("Who waits for an adapter gets it when it is switched on")
    func wait() async throws {
        let client = try await BlueZClient.open(within: .seconds(30))
        defer { client.close() }
        let adapter = try client.adapter(Guest.central)
        try await Guest.switchAdapter(Guest.central, on: false)
        // The daemon tells this client a little later than who switched it off.
        try await UsesPatience.wait(for: "it is off") { adapter.state == .off }
        #expect(throws: BlueZError.adapterOff) { try client.readyAdapter(Guest.central) }
        await #expect(throws: BlueZError.adapterOff) {
            try await client.readyAdapter(Guest.central, within: .milliseconds(300))
        }
        let waiting = Task { try await client.readyAdapter(Guest.central, within: .seconds(60)) }
        try await Guest.switchAdapter(Guest.central, on: true)
        #expect(try await waiting.value.state == .on)
    }

    @Test("While the daemon restarts an adapter is unknown, then on; who waits lives through it")
    func restart() async throws {
        let client = try await BlueZClient.open(within: .seconds(30))
        defer { client.close() }
        let adapter = try client.readyAdapter(Guest.central)
        let states = Mutex<[AdapterState]>([])
        let subscription = client.onEvent { _ in
            states.withLock { if $0.last != adapter.state { $0.append(adapter.state) } }
        }
        try await Guest.stopDaemon()
        try await UsesPatience.wait(for: "the end of the daemon") { adapter.state == .unknown }
        #expect(throws: BlueZError.noDaemon) { try client.readyAdapter(Guest.central) }
        let waiting = Task { try await client.readyAdapter(Guest.central, within: nil) }
        try await Guest.startDaemon()
        #expect(try await waiting.value.state == .on)
        subscription.end()
        let seen = states.withLock { $0 }
        #expect(seen.contains(.unknown) && seen.last == .on, "\(seen)")
    }

    @Test("An adapter that rfkill blocks: how to unblock it, from every side")
    func blocked() async throws {
        let client = try await BlueZClient.open(within: .seconds(30))
        defer { client.close() }
        let adapter = try client.readyAdapter(Guest.central)
        try await block(true)
        try await UsesPatience.wait(for: "blocked, not \(adapter.state)") {
            adapter.state == .blocked
        }
        await #expect(throws: BlueZError.adapterBlocked(.soft)) {
            try await adapter.setPowered(true)
        }
        let scan = try await place.run("scan", "--adapter", Guest.central)
        let doctor = try await place.run("doctor", "--adapter", Guest.central)
        try await block(false)
        #expect(scan.status == 69)
        #expect(scan.errors.contains("rfkill unblock bluetooth"), "\(scan.errors)")
        #expect(scan.isOneSentence)
        #expect(doctor.output.contains("rfkill unblock bluetooth"), "\(doctor.output)")
        try await Guest.switchAdapter(Guest.central, on: true)
        #expect(adapter.state == .on)
    }

    private func block(_ isBlocked: Bool) async throws {
        let switches = "/sys/class/bluetooth/\(Guest.central)/rfkill*/soft"
        try await Guest.run("sh", "-c", "echo \(isBlocked ? 1 : 0) | tee \(switches)")
    }

    @Test("An adapter without Bluetooth LE: one sentence and 69")
    func unsupported() async throws {
        let classic = try RunningTool(["-B", "-l1"], in: place, program: "/usr/bin/btvirt")
        let client = try await BlueZClient.open(within: .seconds(30))
        defer { client.close() }
        try await UsesPatience.wait(for: "the third adapter") { client.adapters.count == 3 }
        let adapter = try client.adapter("hci2")
        try await UsesPatience.wait(for: "its state, not \(adapter.state(for: .peripheral))") {
            adapter.state(for: .peripheral) == .unsupported
        }
        print("use: classic adapter: roles \(adapter.roles), \(adapter.state(for: .central))")
        let receive = try await place.run(
            "receive",
            "--advertise",
            "--allow-unsigned",
            "--adapter",
            "hci2",
            "--store",
            place.store
        )
        #expect(receive.status == 69)
        #expect(receive.isOneSentence, "\(receive.errors)")
        let scan = try await place.run("scan", "--adapter", "hci2", "--duration", "2")
        #expect(scan.status == 69, "\(scan.output)\(scan.errors)")
        #expect(scan.isOneSentence, "\(scan.errors)")
        classic.send(9)
        _ = try await classic.end()
        try await UsesPatience.wait(for: "its end") { client.adapters.count == 2 }
    }

    @Test("A link that ends says what ended it", arguments: ["adapter", "daemon", "receiver"])
    func endOfLink(what: String) async throws {
        let device = try await ReceivingDevice(in: place)
        let client = try await BlueZClient.open(within: .seconds(30))
        defer { client.close() }
        let link = try await CentralTransport.connect(
            to: UsesPeripheral.connected(from: client),
            within: .seconds(60)
        )
        switch what {
        case "adapter": try await Guest.switchAdapter(Guest.device, on: false)
        case "daemon":
            // In an orderly end it would end its links first.
            try await Guest.run("guest-bluetoothd", "kill")
            try await Guest.startDaemon()
        default: try await device.kill()
        }
        try await UsesPatience.wait(for: "its end") { link.closeReason != nil }
        let reason = link.closeReason
        switch what {
        case "adapter":
            #expect(reason == .remote)
            try await Guest.switchAdapter(Guest.device, on: true)
        case "daemon": #expect(reason == .failed("the Bluetooth daemon stopped"))
        default: #expect(reason == .failed("the device's services changed"))
        }
        await link.awaitEnd()
        if what != "receiver" { _ = try await device.stop() }
    }
}
