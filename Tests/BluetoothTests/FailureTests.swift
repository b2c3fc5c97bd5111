import BLEOTA
import BLEOTATestSupport
import Testing

/// What a user is told where Bluetooth is not to be had.
@Suite(
    "Without Bluetooth",
    .enabled(if: Guest.runs("plain"), "runs in the guest: make test-bluez"),
    .serialized,
    .timeLimit(.minutes(10))
)
struct FailureTests {
    private let place = ToolDirectory()

    @Test("No daemon: one sentence and 69, for every command")
    func noDaemon() async throws {
        try await Guest.stopDaemon()
        for arguments in [
            ["scan"], ["push", place.image(1_000)],
            ["receive", "--advertise", "--allow-unsigned", "--store", place.path("store")],
            ["inspect", "kitchen"], ["pull", "x", "--output", place.path("x")],
        ] {
            let begin = ContinuousClock.now
            let result = try await RunningTool(arguments, in: place).end(within: 20)
            print("said in \(ContinuousClock.now - begin): \(arguments[0]) without a daemon")
            #expect(result.status == 69, "\(arguments): \(result.errors)")
            #expect(result.errors.contains("systemctl start bluetooth"), "\(result.errors)")
            #expect(result.errors.split(separator: "\n").count == 1)
        }
        try await Guest.startDaemon()
    }

    @Test("An adapter that is off: how to switch it on")
    func adapterOff() async throws {
        try await Guest.switchAdapter(Guest.central, on: false)
        let result = try await place.run("scan", "--adapter", Guest.central)
        #expect(result.status == 69)
        #expect(result.errors.contains("bluetoothctl power on"))
        #expect(result.isOneSentence)
        try await Guest.switchAdapter(Guest.central, on: true)
    }

    @Test("No such adapter: how to see which there are")
    func noAdapter() async throws {
        let begin = ContinuousClock.now
        let result = try await place.run("scan", "--adapter", "hci7")
        print("said in \(ContinuousClock.now - begin): no such adapter")
        #expect(result.status == 69)
        #expect(result.errors.contains("bluetoothctl list"))
        #expect(result.isOneSentence)
    }

    @Test("No right to use the bus's daemon: 77")
    func noRights() async throws {
        // Debian's policy lets everybody in; others let only root in, and who is at the console.
        let policy = """
            <busconfig><policy user="nobody">
            <deny send_destination="org.bluez"/>
            </policy></busconfig>
            """
        try await Guest.run(
            "sh",
            "-c",
            """
            echo '\(policy)' > /etc/dbus-1/system.d/zz-deny.conf
            dbus-send --system --print-reply --dest=org.freedesktop.DBus / \
                org.freedesktop.DBus.ReloadConfig
            """
        )
        let tool = try RunningTool(
            ["-c", "exec setpriv --reuid=65534 --clear-groups \(RunningTool.path) scan"],
            in: place,
            program: "/bin/sh"
        )
        let begin = ContinuousClock.now
        let result = try await tool.end(within: 20)
        print("said in \(ContinuousClock.now - begin): no right")
        #expect(result.status == 77, "\(result.status) \(result.errors)")
        #expect(result.errors.contains("usermod -aG bluetooth"), "\(result.errors)")
    }
}
