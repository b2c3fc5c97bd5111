import BLEOTA
import BLEOTATestSupport
import Testing

@testable import BLEOTANordicDFU

/// Pushes to a device with Legacy DFU that knows nothing of this code.
@Suite("Legacy DFU against a device", .needsDevices)
struct LegacyDeviceTests {
    private static let program = "legacy_dfu_device.py"
    private static let application = "legacy-application.zip"

    @Test(
        "An application of a package arrives, with and without a jump to a bootloader",
        arguments: [
            [], ["--same-address"], ["--in-bootloader"], ["--infinitime", "--timer-ms", "20"],
        ]
    )
    func application(arguments: [String]) async throws {
        let push = try await DevicePush(Self.application, to: Self.program, arguments)
        try await push.expectComplete(["application"], of: Self.application)
        #expect(push.reconnectionCount == 0)
    }

    @Test("A SoftDevice with a bootloader arrives before the application")
    func softdevice() async throws {
        let package = "legacy-all.zip"
        let push = try await DevicePush(package, to: Self.program, [])
        #expect(push.reconnectionCount == 0)
        _ = try push.result.get()
        try await push.device.waitForEvent("activated", count: 2)
        #expect(
            push.activated.last
                == (try await TestPackages.usual.value).sha256("application", of: package)
        )
        try await push.device.end()
        let packages = try await TestPackages.usual.value
        let parts = try DFUPackage(packages.file(package)).parts
        #expect(
            try push.device.flash(".softdevice") + push.device.flash(".bootloader")
                == parts[0].firmware
        )
        #expect(try push.device.flash() == parts[1].firmware)
        push.expectNoViolation()
    }

    @Test("After a lost link the image begins anew, and says so", arguments: 0..<20)
    func beginsAnew(point: Int) async throws {
        let at = 1 + point * 29_990 / 19
        let arguments =
            ["--lose-link-at", "\(at)"] + (point.isMultiple(of: 2) ? ["--stay-in-bootloader"] : [])
        let push = try await DevicePush(Self.application, to: Self.program, arguments)
        try await push.expectComplete(["application"], of: Self.application)
        #expect(push.reconnectionCount > 0)
        #expect(push.notices.contains("the image is sent again from the beginning"))
        #expect(try push.result.get().resumedFromByte == 0)
    }

    @Test("InfiniTime, which ignores a new start for ten seconds, is updated after a lost link")
    func infiniTimeAfterLoss() async throws {
        let arguments = ["--infinitime", "--timer-ms", "20", "--lose-link-at", "9000"]
        let push = try await DevicePush(Self.application, to: Self.program, arguments)
        _ = try push.result.get()
        try await push.device.waitForEvent("activated")
        let packages = try await TestPackages.usual.value
        #expect(push.activated == [packages.sha256("application", of: Self.application)])
        // No host can know that the start is ignored, whose answer comes after the sizes.
        #expect(push.device.events.contains { $0.name == "ignored" })
        #expect(push.device.violations.count == 1)
    }

    @Test("Firmware that is lost or damaged once is sent again")
    func damage() async throws {
        for arguments in [["--damage-at", "9000"], ["--drop-commands", "0.0004", "--seed", "3"]] {
            var options = PushOptions()
            options.silenceLimit = .seconds(2)
            let push = try await DevicePush(
                Self.application,
                to: Self.program,
                arguments,
                options: options
            )
            try await push.expectComplete(["application"], of: Self.application)
        }
    }

    private static let refusals:
        [(package: String, arguments: [String], code: String, words: String)] =
            [
                (application, ["--full"], "0x04", "does not fit"),
                (application, ["--flash-size", "20000"], "0x04", "does not fit"),
                ("legacy-device-type-9.zip", ["--device-type", "8"], "0x06", "another device"),
                (application, ["--refuse", "3=6"], "0x06", "receive the firmware"),
                (application, ["--refuse", "4=2"], "0x02", "accept the image"),
            ]

    @Test("What the device refuses is named", arguments: refusals.indices)
    func refused(index: Int) async throws {
        let (package, arguments, code, words) = Self.refusals[index]
        let push = try await DevicePush(package, to: Self.program, arguments)
        let refusal = try #require(push.refusal, "\(push.result)")
        #expect(refusal.code == "Legacy DFU, result " + code)
        #expect(refusal.statement.contains(words))
        #expect(!refusal.remedy.isEmpty)
        #expect(push.activated.isEmpty)
        push.expectNoViolation()
    }

    @Test("A package for the other protocol is refused before anything is written")
    func otherProtocol() async throws {
        let push = try await DevicePush("secure-application.zip", to: Self.program, [])
        #expect(push.refusal?.code == "Legacy DFU")
        #expect(push.refusal?.remedy.contains("adafruit-nrfutil dfu genpkg") == true)
        #expect(!push.device.events.contains { $0.name == "reset" })
        push.expectNoViolation()
    }
}
