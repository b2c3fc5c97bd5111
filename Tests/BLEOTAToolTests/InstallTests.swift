import BLEOTATestSupport
import Foundation
import Glibc
import Testing

/// What a receiver installs and a push waits for, as a user meets it.
@Suite("Installing", .timeLimit(.minutes(3)))
struct InstallTests {
    /// The SHA-256 of an image that no test sends.
    private static let otherImage = String(repeating: "ab", count: 32)

    private let place = ToolDirectory()

    /// A program of the device's maker.
    private func program(_ lines: String) -> String {
        place.write(Array("#!/bin/sh\n\(lines)\n".utf8), to: "install")
        #expect(chmod(place.path("install"), 0o755) == 0)
        return place.path("install")
    }

    private func push(_ image: String, _ arguments: String...) async throws -> ToolResult {
        try await place.run(waiting(image) + arguments)
    }

    /// What a push is started with that waits until the device runs the image.
    private func waiting(_ image: String) -> [String] {
        ["push", image, "--connect", place.target, "--wait-confirmed", "--json"]
    }

    /// A receiver that has an image on trial, and the push that waits for what becomes of it.
    private func onTrial(
        _ image: String
    ) async throws -> (receiver: RunningTool, push: RunningTool) {
        let receiver = try await place.receiver("--on-trial", "--", program("exit 0"))
        let push = try RunningTool(waiting(image), in: place)
        try await push.output { $0["state"] as? String == "onTrial" }
        return (receiver, push)
    }

    /// The device says that another image runs.
    private func confirmOther() async throws -> ToolResult {
        try await place.run(
            "confirm",
            "--store",
            place.store,
            "--sha256",
            Self.otherImage,
            "--factory"
        )
    }

    private func isZombie(_ pid: Int32) -> Bool {
        guard let file = fopen("/proc/\(pid)/stat", "r") else { return true }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        fgets(&line, 256, file)
        return String(decoding: line.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
            .contains(") Z ")
    }

    //= RUN-2
    @Test("A push ends with 0 when the device says that it runs the image")
    func confirmed() async throws {
        let (flash, said) = (place.path("flash"), place.path("said"))
        let installer = program(
            "cp \"$2\" \(flash); echo \"$1 $BLEOTA_MODE $BLEOTA_NAME\" > \(said)"
        )
        let receiver = try await place.receiver("--", installer, "it's a slot; rm -rf /")
        let result = try await push(place.image(20_000))
        #expect(result.status == 0, "\(result.errors)")
        #expect(place.bytes("flash") == place.bytes("image.bin"))
        let words = String(decoding: place.bytes("said") ?? [], as: UTF8.self)
        #expect(words == "it's a slot; rm -rf / permanent image.bin\n")
        #expect(result.output.contains("\"state\":\"confirmed\""))
        // It runs already: nothing is installed again.
        unlink(place.path("flash"))
        let again = try await push(place.path("image.bin"))
        #expect(again.status == 0, "\(again.errors)")
        #expect(place.bytes("flash") == nil)
        try await receiver.interrupt()
    }

    @Test("An installation that fails: 65, and the next push tries again")
    func failed() async throws {
        let mark = place.path("works")
        let receiver = try await place.receiver("--", program("test -e \(mark)"))
        let image = place.image(20_000)
        let first = try await push(image)
        #expect(first.status == 65)
        #expect(first.errors.contains("could not install it"), "\(first.errors)")
        place.write([1], to: "works")
        let second = try await push(image)
        #expect(second.status == 0, "\(second.errors)")
        try await receiver.interrupt()
    }

    /// Where the program outlived its receiver, two ran at once, and could write the same slot.
    @Test(
        "An installation that was cut short is begun again by the next receiver, as the only one",
        arguments: [true, false]
    )
    func cutShort(isProgramKilled: Bool) async throws {
        let (mark, log) = (place.path("works"), place.path("log"))
        let installer = program("echo $$ >> \(log); test -e \(mark) || exec sleep 600")
        let receiver = try await place.receiver("--", installer)
        let push = try RunningTool(waiting(place.image(20_000)), in: place)
        try await receiver.wait(for: "the program", within: 20) {
            place.bytes("log")?.last == UInt8(ascii: "\n")
        }
        let text = String(decoding: place.bytes("log") ?? [], as: UTF8.self)
        let child = try #require(Int32(text.filter(\.isNumber)))
        try await receiver.wait(for: "its record", within: 20) {
            let record = try? FileManager.default.destinationOfSymbolicLink(
                atPath: place.store + "/installing"
            )
            return record?.contains(".\(child)-") == true
        }
        for pid in [receiver.processID] + (isProgramKilled ? [child] : []) { kill(pid, SIGKILL) }
        _ = try await receiver.end()
        #expect(isProgramKilled || kill(child, 0) == 0)
        place.write([1], to: "works")
        let next = try await place.receiver("--", installer)
        // Nobody pushes again: the same push hears of it.
        let result = try await push.end(within: 60)
        #expect(result.status == 0, "\(result.errors)")
        #expect(kill(child, 0) != 0 || isZombie(child))
        let stopped = try await next.interrupt()
        #expect(stopped.output.contains("\"installed\""))
        #expect(!stopped.output.contains("\"started\""))
    }

    @Test("A program that hangs is ended with all that it started, and is a failure")
    func hangs() async throws {
        let pid = place.path("pid")
        let installer = program("sleep 600 & echo $! > \(pid); wait")
        let receiver = try await place.receiver("--install-timeout", "3", "--", installer)
        let result = try await push(place.image(5_000))
        #expect(result.status == 65, "\(result.errors)")
        let text = String(decoding: place.bytes("pid") ?? [], as: UTF8.self)
        let child = try #require(Int32(text.filter(\.isNumber)))
        // Ended, or about to be taken away by init.
        try await receiver.wait(for: "the end of what it started", within: 20) {
            kill(child, 0) != 0 || isZombie(child)
        }
        try await receiver.interrupt()
    }

    @Test("A program that is ended may tidy up first")
    func endsByItself() async throws {
        let said = place.path("said")
        let installer = program("trap 'echo tidy > \(said); exit 1' TERM; sleep 600 & wait")
        let receiver = try await place.receiver("--install-timeout", "3", "--", installer)
        let result = try await push(place.image(5_000))
        #expect(result.status == 65, "\(result.errors)")
        #expect(place.bytes("said") == Array("tidy\n".utf8))
        try await receiver.interrupt()
    }

    @Test("A program that lets what it starts confirm is not contradicted")
    func confirmedByItself() async throws {
        let confirm = "\(RunningTool.path) confirm --store \(place.store) --image \"$1\""
        let receiver = try await place.receiver("--on-trial", "--", program(confirm))
        let result = try await push(place.image(5_000))
        #expect(result.status == 0, "\(result.errors)")
        try await receiver.interrupt()
    }

    @Test(
        "What could not be installed is tried three times, and forgotten when something else runs"
    )
    func attempts() async throws {
        let log = place.path("log")
        let receiver = try await place.receiver("--", program("echo x >> \(log); exit 1"))
        let image = place.image(5_000)
        for _ in 0..<5 { #expect(try await push(image).status == 65) }
        #expect(place.bytes("log")?.count == 6)
        // Whoever has mended the program can let it run again.
        #expect(unlink(place.store + "/installing") == 0)
        #expect(try await push(image).status == 65)
        #expect(place.bytes("log")?.count == 8)
        let confirm = try await place.run("confirm", "--store", place.store, "--image", image)
        #expect(confirm.status == 0)
        #expect(try await push(image).status == 0)
        let said = try await receiver.interrupt()
        #expect(said.output.contains("has failed 3 times; delete \(place.store)/installing and"))
    }

    @Test("On trial: a push waits until bleota confirm, on the device, says that it runs well")
    func confirmedLater() async throws {
        let image = place.image(20_000)
        let (receiver, push) = try await onTrial(image)
        let confirm = try await place.run("confirm", "--store", place.store, "--image", image)
        #expect(confirm.status == 0, "\(confirm.errors)")
        #expect(confirm.output.contains("confirmed"))
        #expect(try await push.end(within: 20).status == 0)
        try await receiver.interrupt()
    }

    @Test("A device that went back to another image: 65")
    func reverted() async throws {
        let (receiver, push) = try await onTrial(place.image(20_000))
        let back = try await confirmOther()
        #expect(back.status == 0, "\(back.errors)")
        let result = try await push.end(within: 20)
        #expect(result.status == 65)
        #expect(result.errors.contains("reverted to another one"), "\(result.errors)")
        try await receiver.interrupt()
    }

    @Test("Who waits for what a device does not say, or not in time, is told so")
    func notSaid() async throws {
        let silent = try await place.receiver()
        let result = try await push(place.image(5_000))
        #expect(result.status == 65)
        #expect(result.errors.contains("bleota confirm"), "\(result.errors)")
        _ = try await confirmOther()
        let late = try await push(place.path("image.bin"), "--confirm-timeout", "1")
        #expect(late.status == 75)
        #expect(late.errors.contains("in time"), "\(late.errors)")
        try await silent.interrupt()
    }

    @Test("Nonsense is refused with a sentence: no program, a loopback, half a hash")
    func nonsense() async throws {
        let image = place.image(100)
        for (arguments, words) in [
            (
                ["push", image, "--loopback", "--wait-confirmed"],
                "a loopback receiver runs nothing"
            ),
            (["confirm", "--store", place.store, "--sha256", "abc"], "64 hexadecimal digits"),
            (["confirm", "--store", place.store], "--image FILE or --sha256 HEX"),
            (
                ["receive", "--listen", place.target, "--store", place.store, "--on-trial"],
                "after --"
            ),
        ] as [([String], String)] {
            let result = try await place.run(arguments)
            #expect(result.status == 64, "\(arguments): \(result.errors)")
            #expect(result.errors.contains(words), "\(arguments): \(result.errors)")
        }
    }

    @Test("A store that is not there is told, and a program that is not there can't install")
    func missing() async throws {
        let image = place.image(100)
        let nowhere = try await place.run("confirm", "--store", place.path("no"), "--image", image)
        #expect(nowhere.status == 73)
        #expect(nowhere.isOneSentence, "\(nowhere.errors)")
        let receiver = try await place.receiver("--", place.path("not-there"))
        let push = try await push(image)
        #expect(push.status == 65)
        try await receiver.interrupt()
    }
}
