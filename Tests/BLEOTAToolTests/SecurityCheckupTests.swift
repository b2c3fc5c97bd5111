import BLEOTATestSupport
import Foundation
import Glibc
import Testing

/// `bleota doctor --security`: what the set-up of a receiver allows.
@Suite("What a receiver allows", .timeLimit(.minutes(2)))
struct SecurityCheckupTests {
    private let place = ToolDirectory()

    private func check(_ arguments: String...) async throws -> ToolResult {
        try await place.run(
            ["doctor", "--security", "--json", "--", "--store", place.store] + arguments
        )
    }

    private func grade(_ result: ToolResult, _ subject: String) -> String? {
        finding(result, subject)?.text("grade")
    }

    private func finding(_ result: ToolResult, _ subject: String) -> Event? {
        result.events.first { $0.text("subject") == subject }
    }

    private func makeKeys() async throws -> [String] {
        for name in ["one.pem", "two.pem"] { try await place.generateKey(name) }
        return ["--trust", place.path("one.pem.pub"), "--trust", place.path("two.pem.pub")]
    }

    private func mode(_ mode: mode_t, _ name: String) { chmod(place.path(name), mode) }

    // MARK: - Images

    @Test("A careful set-up has no problem: 0")
    func careful() async throws {
        let keys = try await makeKeys()
        let arguments = ["--advertise", "--link", "authenticated", "--hardware", "acme/lamp:3"]
        let result = try await place.run(
            ["doctor", "--security", "--json", "--", "receive", "--store", place.store] + keys
                + arguments
        )
        #expect(result.status == 0, "\(result.output)")
        #expect(result.events.filter { $0.text("subject") == "trusted key" }.count == 2)
        for subject in ["signatures", "trusted key", "hardware", "link"] {
            #expect(grade(result, subject) == "ok", "\(subject)")
        }
        #expect(grade(result, "replacement key") == nil)
        // The store is not there, and no release has raised the counter.
        #expect(grade(result, "store") == "note")
        #expect(grade(result, "old releases") == "note")
    }

    @Test(
        "Unsigned images are a problem where strangers can send them: 1",
        arguments: [
            ["--advertise", "--allow-unsigned"], ["--listen", "smp+udp:1337", "--allow-unsigned"],
        ]
    )
    func unsigned(arguments: [String]) async throws {
        for keys in [[], try await makeKeys()] {
            let result = try await place.run(
                ["doctor", "--security", "--json", "--", "--store", place.store] + keys + arguments
            )
            #expect(result.status == 1)
            #expect(result.isOneSentence, "\(result.errors)")
            #expect(grade(result, "signatures") == "problem")
            #expect(result.events.last?.name == "error")
            #expect(finding(result, "signatures")?.text("remedy") != nil)
        }
    }

    @Test("A socket without keys is a note, for only users of this machine reach it")
    func local() async throws {
        let result = try await check("--listen", place.target)
        #expect(result.status == 0)
        #expect(grade(result, "signatures") == "note")
    }

    @Test("One key cannot be replaced, and the same key twice is one")
    func oneKey() async throws {
        let keys = try await makeKeys()
        for keys in [Array(keys[..<2]), [keys[0], keys[1], keys[0], keys[1]]] {
            let result = try await place.run(
                ["doctor", "--security", "--json", "--", "--store", place.store, "--advertise"]
                    + keys
            )
            #expect(result.status == 0)
            #expect(grade(result, "replacement key") == "note")
        }
    }

    @Test("Keys that can't be used are problems: missing, private, and open to others")
    func badKeys() async throws {
        try await place.generateKey("one.pem")
        try await place.generateKey("seal.pem", sealing: true)
        let (key, missing) = (place.path("one.pem"), place.path("nothing"))
        for (arguments, subject) in [
            (["--trust", missing], "trusted key"), (["--trust", key], "trusted key"),
            (["--trust", "\(key).pub", "--unseal", key], "sealing key"),
        ] {
            let result = try await place.run(
                ["doctor", "--security", "--json", "--", "--store", place.store, "--advertise"]
                    + arguments
            )
            #expect(result.status == 1, "\(arguments)")
            #expect(grade(result, subject) == "problem", "\(arguments)")
            // The receiver would not start, so "required" would be a false comfort.
            #expect(grade(result, "signatures") == (subject == "trusted key" ? nil : "ok"))
        }
        let sealed = ["--advertise", "--trust", "\(key).pub", "--unseal", place.path("seal.pem")]
        let check = ["doctor", "--security", "--json", "--", "--store", place.store] + sealed
        #expect(try await grade(place.run(check), "sealing key") == "ok")
        mode(0o644, "seal.pem")
        #expect(try await grade(place.run(check), "sealing key") == "problem")
    }

    @Test("A key that others can change is a problem, also through a folder above it")
    func changeableKey() async throws {
        try FileManager.default.createDirectory(
            atPath: place.path("etc"),
            withIntermediateDirectories: false
        )
        try await place.generateKey("etc/one.pem")
        let key = place.path("etc/one.pem.pub")
        func grade() async throws -> String? {
            try await self.grade(check("--advertise", "--trust", key), "trusted key")
        }
        #expect(try await grade() == "ok")
        mode(0o666, "etc/one.pem.pub")
        #expect(try await grade() == "problem")
        mode(0o644, "etc/one.pem.pub")
        mode(0o777, "etc")
        #expect(try await grade() == "problem")
        // In such a folder, only the owner of a file can replace it.
        mode(0o1777, "etc")
        #expect(try await grade() == "ok")
    }

    @Test("The counter of a store tells which releases are refused")
    func counter() async throws {
        let keys = try await makeKeys()
        let receiver = try await place.receiver(keys)
        let image = place.image(5_000)
        try await place.sign(image, as: "signed.bleota", key: "one.pem", "--counter", "7")
        let push = ["push", place.path("signed.bleota"), "--connect", place.target]
        #expect(try await place.run(push).status == 0)
        // A receiver may run meanwhile.
        let result = try await check("--listen", place.target, keys[0], keys[1])
        #expect(result.status == 0, "\(result.output)")
        #expect(finding(result, "old releases")?.text("found")?.contains("below 7") == true)
        #expect(grade(result, "store") == "ok")
        try await receiver.interrupt()
    }

    // MARK: - Places

    @Test("A socket that every user reaches is noted")
    func socket() async throws {
        let receiver = try await place.receiver()
        #expect(try await grade(check("--listen", place.target), "socket") == "ok")
        mode(0o777, "socket")
        // The folder of the test lets nobody else in.
        #expect(try await grade(check("--listen", place.target), "socket") == "ok")
        chmod(place.root, 0o755)
        #expect(try await grade(check("--listen", place.target), "socket") == "note")
        try await receiver.interrupt()
        #expect(try await grade(check("--listen", place.target), "socket") == "note")
    }

    @Test("A store that others can write to is a problem, and one that they can read is noted")
    func store() async throws {
        try FileManager.default.createDirectory(
            atPath: place.store,
            withIntermediateDirectories: false
        )
        for (bits, grade) in [(0o700, "ok"), (0o755, "note"), (0o777, "problem")] {
            mode(mode_t(bits), "store")
            let result = try await check("--listen", place.target)
            #expect(self.grade(result, "store") == grade)
            #expect(result.status == (grade == "problem" ? 1 : 0))
        }
    }

    @Test("An installer that others can change is a problem")
    func installer() async throws {
        let program = place.write([], to: "install")
        for (bits, grade) in [(0o755, "ok"), (0o757, "problem")] {
            mode(mode_t(bits), "install")
            let result = try await check("--listen", place.target, "--", program)
            #expect(self.grade(result, "installer") == grade)
        }
        let missing = try await check("--listen", place.target, "--", place.path("nothing"))
        #expect(grade(missing, "installer") == "problem")
        let found = try await check("--listen", place.target, "--", "install")
        #expect(grade(found, "installer") == "note")
    }

    @Test("What is no set-up of a receiver is refused: 64")
    func usage() async throws {
        for arguments in [
            ["--security"], ["--security", "--", "--store"], ["--security", "--", "push", "x"],
            ["--", "--store", "x"], ["--security", "--device", "x", "--", "--store", "x"],
            ["--security", "--", "--advertise", "--store", "x"],
        ] {
            let result = try await place.run(["doctor"] + arguments)
            #expect(result.status == 64, "\(arguments)")
        }
    }
}
