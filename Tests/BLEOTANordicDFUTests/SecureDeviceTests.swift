import BLEOTA
import BLEOTATestSupport
import Testing

@testable import BLEOTANordicDFU

/// Pushes to a device with Secure DFU that knows nothing of this code.
@Suite("Secure DFU against a device", .needsDevices)
struct SecureDeviceTests {
    private static let program = "secure_dfu_device.py"
    private static let application = "secure-application.zip"

    @Test(
        "An application of a package arrives, with every way to enter the bootloader",
        arguments: [[], ["--bonded"], ["--in-bootloader"]],
        [23, 65, 247, 517]
    )
    func application(arguments: [String], attMTU: Int) async throws {
        let all = arguments + ["--mtu", "\(attMTU)"]
        let push = try await DevicePush(Self.application, to: Self.program, all)
        try await push.expectComplete(["application"], of: Self.application)
        #expect(push.reconnectionCount == 0)
        #expect(try push.result.get().resumedFromByte == 0)
    }

    @Test("A SoftDevice with a bootloader arrives before the application")
    func softdevice() async throws {
        let package = "secure-all.zip"
        let push = try await DevicePush(package, to: Self.program, [])
        try await push.expectComplete(["softdevice_bootloader", "application"], of: package)
        #expect(push.reconnectionCount == 0)
    }

    @Test("A device that runs its application after a SoftDevice jumps again")
    func softdeviceAndJump() async throws {
        let package = "secure-all.zip"
        let push = try await DevicePush(package, to: Self.program, ["--keep-application"])
        try await push.expectComplete(["softdevice_bootloader", "application"], of: package)
    }

    @Test("A SoftDevice with a bootloader arrives alone")
    func softdeviceAlone() async throws {
        let package = "secure-softdevice-bootloader.zip"
        let push = try await DevicePush(package, to: Self.program, [])
        try await push.expectComplete(["softdevice_bootloader"], of: package)
    }

    @Test("A link that is lost at any of 20 points resumes there", arguments: 0..<20)
    func resumes(point: Int) async throws {
        let byteCount = 30_001
        let at = 1 + point * (byteCount - 2) / 19
        let arguments = [
            "--lose-link-at", "\(at)", "--mtu", point.isMultiple(of: 2) ? "247" : "23",
        ]
        let push = try await DevicePush(Self.application, to: Self.program, arguments)
        try await push.expectComplete(["application"], of: Self.application)
        #expect(push.reconnectionCount == 1)
        let report = try push.result.get()
        #expect(report.reconnectionCount == 1)
        // Nothing but the packets in flight is sent again.
        let packetByteCount = report.chunkByteCount
        let inFlightMax = PacketWindow.packetCountMax * packetByteCount
        #expect(report.dataByteCount <= byteCount + 2 * 150 + inFlightMax)
        #expect(report.dataFramesResent <= PacketWindow.packetCountMax)
        #expect(!push.notices.contains { $0.contains("from the beginning") })
    }

    @Test("A link that is lost again and again resumes each time, in every image of a package")
    func resumesOften() async throws {
        let package = "secure-all.zip"
        let points = (1...12).flatMap { ["--lose-link-at", "\($0 * 3_777)"] }
        let push = try await DevicePush(package, to: Self.program, points)
        try await push.expectComplete(["softdevice_bootloader", "application"], of: package)
        #expect(push.reconnectionCount == 12)
    }

    @Test("Another push resumes what the first has left")
    func resumesLater() async throws {
        let device = try await PythonDevice(Self.program, ["--lose-link-at", "20000"])
        var options = PushOptions()
        options.reconnectionLimit = .zero
        let first = try await DevicePush(Self.application, to: device, options: options)
        #expect(first.error?.code == .linkLost)
        #expect(first.error?.isRetryable == true)
        let second = try await DevicePush(Self.application, to: device)
        try await second.expectComplete(["application"], of: Self.application)
        #expect(try second.result.get().resumedFromByte > 12_000)
    }

    @Test("Packets that are lost in the device are sent again", arguments: ["1", "2", "3"])
    func packetLoss(seed: String) async throws {
        let arguments = ["--drop-packets", "0.01", "--seed", seed, "--mtu", "65"]
        let push = try await DevicePush(Self.application, to: Self.program, arguments)
        try await push.expectComplete(["application"], of: Self.application)
        #expect(push.device.events.contains { $0.name == "dropped" })
        #expect(push.notices.contains { $0.hasPrefix("part of the firmware was lost") })
    }

    @Test("Write commands that are lost on their way are sent again", arguments: ["1", "2"])
    func commandLoss(seed: String) async throws {
        let arguments = ["--drop-commands", "0.01", "--seed", seed, "--mtu", "65"]
        let push = try await DevicePush(Self.application, to: Self.program, arguments)
        try await push.expectComplete(["application"], of: Self.application)
    }

    @Test("An object that arrives damaged is sent again", arguments: [0, 3, 7])
    func damage(object: Int) async throws {
        let arguments = ["--wrong-crc-at", "\(object)"]
        let push = try await DevicePush(Self.application, to: Self.program, arguments)
        try await push.expectComplete(["application"], of: Self.application)
        let start = object * 4_096
        #expect(
            push.notices == [
                "part of the firmware was lost on the way; sending again from byte \(start)"
            ]
        )
    }

    @Test("Objects of other lengths, and a slow device", arguments: ["256", "1000", "65536"])
    func objectSizes(byteCount: String) async throws {
        let arguments = ["--object-size", byteCount, "--slow", "2", "--reset-ms", "300"]
        let push = try await DevicePush(Self.application, to: Self.program, arguments)
        try await push.expectComplete(["application"], of: Self.application)
    }

    private static let refusals:
        [(package: String, arguments: [String], code: String, words: String)] =
            [
                ("secure-other-hardware.zip", [], "extended error 0x06", "hardware version"),
                ("secure-softdevice-0xb7.zip", [], "extended error 0x07", "another SoftDevice"),
                (application, ["--firmware-version", "9"], "extended error 0x05", "version"),
                (application, ["--full"], "result 0x04", "no room"),
                (application, ["--flash-size", "20000"], "result 0x04", "no room"),
                (application, ["--flash-left", "20000"], "result 0x04", "receive the firmware"),
            ]

    @Test("What the device refuses is named", arguments: refusals.indices)
    func refused(index: Int) async throws {
        let (package, arguments, code, words) = Self.refusals[index]
        let push = try await DevicePush(package, to: Self.program, arguments)
        let refusal = try #require(push.refusal)
        #expect(refusal.code == "Secure DFU, " + code)
        #expect(refusal.statement.contains(words))
        #expect(!refusal.remedy.isEmpty)
        #expect(push.error?.code == .refused && push.error?.isRetryable == false)
        #expect(push.activated.isEmpty)
        push.expectNoViolation()
    }

    @Test("Signatures are judged by the device")
    func signatures() async throws {
        let key = try await TestPackages.usual.value.path("secure-public-key.pem")
        let signed = try await DevicePush(
            Self.application,
            to: Self.program,
            ["--public-key", key]
        )
        try await signed.expectComplete(["application"], of: Self.application)
        let package = "secure-unsigned.zip"
        let unsigned = try await DevicePush(package, to: Self.program, ["--public-key", key])
        #expect(unsigned.refusal?.code == "Secure DFU, extended error 0x08")
    }

    @Test("A bootloader that is not older keeps itself, and the application still arrives")
    func bootloaderIsNew() async throws {
        let package = "secure-all.zip"
        let push = try await DevicePush(package, to: Self.program, ["--bootloader-version", "5"])
        try await push.expectComplete(["application"], of: package)
        #expect(push.notices.contains { $0.hasPrefix("the package has no SoftDevice") })
    }

    @Test("A package for the other protocol is refused before anything is written")
    func otherProtocol() async throws {
        let push = try await DevicePush("legacy-application.zip", to: Self.program, [])
        #expect(push.refusal?.code == "Secure DFU")
        #expect(push.refusal?.statement.contains("package is for Legacy DFU") == true)
        #expect(push.refusal?.remedy.contains("nrfutil pkg generate") == true)
        #expect(!push.device.events.contains { $0.name == "reset" })
        push.expectNoViolation()
    }

    @Test("A cancelled push ends at once, and another resumes it")
    func cancelled() async throws {
        let device = try await PythonDevice(Self.program, ["--slow", "30"])
        let push = Task { try await DevicePush(Self.application, to: device) }
        try await device.waitForEvent("accepted")
        push.cancel()
        #expect(try await push.value.error?.code == .cancelled)
        let second = try await DevicePush(Self.application, to: device)
        try await second.expectComplete(["application"], of: Self.application)
    }
}
