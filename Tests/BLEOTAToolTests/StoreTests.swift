import BLEOTATestSupport
import Foundation
import Glibc
import Testing

/// The directory of a receiver, as a user meets it.
@Suite("The store of a receiver", .timeLimit(.minutes(2)))
struct StoreTests {
    private let place = ToolDirectory()

    private func makeDirectory(_ name: String) {
        try? FileManager.default.createDirectory(
            atPath: place.path(name),
            withIntermediateDirectories: true
        )
    }

    private func refusal(_ arguments: String...) async throws -> ToolResult {
        let receiver = try RunningTool(
            ["receive", "--listen", place.target, "--store", place.store, "--json"] + arguments,
            in: place
        )
        defer { receiver.send(SIGKILL) }
        // One that opens the store all the same goes on until it is ended.
        try await receiver.wait(for: "a refusal") {
            receiver.hasEnded || receiver.output.contains("listening")
        }
        receiver.send(SIGKILL)
        return try await receiver.end()
    }

    @Test("A directory with something else in it is refused: 73, and keeps what it has")
    func foreign() async throws {
        makeDirectory("store/images/holiday")
        place.write([1], to: "store/images/holiday/beach.jpg")
        place.write([2], to: "store/current")
        let result = try await refusal()
        #expect(result.status == 73)
        #expect(result.isOneSentence, "\(result.errors)")
        #expect(place.bytes("store/images/holiday/beach.jpg") == [1])
        #expect(place.bytes("store/current") == [2])
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.store).count == 2)
    }

    @Test("A link in the place of a folder is refused: 73, and what it leads to stays")
    func link() async throws {
        makeDirectory("victim/0123456789abcdef")
        place.write([1], to: "victim/0123456789abcdef/image")
        makeDirectory("store")
        symlink("../victim", place.path("store/images"))
        let result = try await refusal()
        #expect(result.status == 73)
        #expect(result.isOneSentence, "\(result.errors)")
        #expect(place.bytes("victim/0123456789abcdef/image") == [1])
    }

    @Test("A folder where the current image should be is refused before anything is sent: 73")
    func currentIsAFolder() async throws {
        let receiver = try await place.receiver()
        try await receiver.interrupt()
        makeDirectory("store/current/of-mine")
        let result = try await refusal()
        #expect(result.status == 73)
        #expect(result.isOneSentence, "\(result.errors)")
        #expect(result.errors.contains("store/current"))
    }

    @Test("Nobody else can read a store, whatever the umask", arguments: ["000", "022", "777"])
    func modes(umask: String) async throws {
        let receiver = try RunningTool(
            [
                "-c", "umask \(umask); exec \"$@\"", "sh", RunningTool.path, "receive", "--listen",
                place.target, "--store", place.store, "--json",
            ],
            in: place,
            program: "/bin/sh"
        )
        try await receiver.output { $0["event"] as? String == "listening" }
        let push = try await place.run("push", place.image(5_000), "--connect", place.target)
        #expect(push.status == 0, "\(push.errors)")
        try await receiver.interrupt()
        var count = 0
        let names = try FileManager.default.subpathsOfDirectory(atPath: place.store)
        for name in names + ["."] {
            var status = stat()
            lstat("\(place.store)/\(name)", &status)
            let kind = status.st_mode & S_IFMT
            guard kind != S_IFLNK else { continue }
            count += 1
            #expect(status.st_mode & 0o777 == (kind == S_IFDIR ? 0o700 : 0o600), "\(name)")
        }
        #expect(count == 8)
    }

    @Test("A pulled file can be read by whom the umask lets")
    func pulledMode() async throws {
        let image = place.image(5_000)
        let receiver = try await place.receiver("--offer", image)
        let output = place.path("pulled")
        let pull = try await place.run(
            "pull",
            "image.bin",
            "--connect",
            place.target,
            "--output",
            output
        )
        #expect(pull.status == 0, "\(pull.errors)")
        let mask = umask(0o022)
        umask(mask)
        var status = stat()
        lstat(output, &status)
        #expect(status.st_mode & 0o777 == 0o666 & ~mask)
        try await receiver.interrupt()
    }

    @Test("An image above the limit is refused before room is made for it: 65")
    func maxSize() async throws {
        let receiver = try await place.receiver("--max-size", "64K")
        let large = place.image(65_537, name: "large.bin")
        let refused = try await place.run("push", large, "--connect", place.target)
        #expect(refused.status == 65)
        #expect(refused.errors.contains("65536 bytes"), "\(refused.errors)")
        // The sender hears of the refusal before the receiver has forgotten the announcement.
        try await receiver.wait(for: "an empty store") {
            try FileManager.default.contentsOfDirectory(atPath: place.path("store/incoming"))
                .isEmpty
        }
        let fits = place.image(65_536, name: "fits.bin")
        #expect(try await place.run("push", fits, "--connect", place.target).status == 0)
        try await receiver.interrupt()
        for size in ["0", "x", "5G", "64k", "-1", "4294967297", "18446744073709551615G"] {
            #expect(try await refusal("--max-size=\(size)").status == 64, "\(size)")
        }
    }

    @Test("A receiver whose store is removed ends by itself: 74")
    func removed() async throws {
        let receiver = try await place.receiver()
        try FileManager.default.removeItem(atPath: place.store)
        // A service manager starts another one, which does not have to wait.
        let result = try await receiver.end(within: 20)
        #expect(result.status == 74)
        #expect(result.isOneSentence, "\(result.errors)")
        let next = try await place.receiver()
        let push = try await place.run("push", place.image(5_000), "--connect", place.target)
        #expect(push.status == 0, "\(push.errors)")
        try await next.interrupt()
    }

    @Test("What runs is said of images that the receiver had: 65, and of a store: 73")
    func confirm() async throws {
        let image = place.image(5_000)
        let other = place.image(5_000, seed: 2, name: "other.bin")
        makeDirectory("folder")
        let confirm = ["confirm", "--image", image, "--store"]
        for folder in ["folder", "nowhere"] {
            let result = try await place.run(confirm + [place.path(folder)])
            #expect(result.status == 73)
            #expect(result.isOneSentence, "\(result.errors)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path("folder")).isEmpty)
        let receiver = try await place.receiver()
        #expect(try await place.run("push", image, "--connect", place.target).status == 0)
        #expect(try await place.run(confirm + [place.store]).status == 0)
        let never = ["confirm", "--image", other, "--store", place.store]
        let refused = try await place.run(never)
        #expect(refused.status == 65)
        #expect(refused.isOneSentence, "\(refused.errors)")
        #expect(try await place.run(never + ["--factory"]).status == 0)
        // It is known from then on.
        #expect(try await place.run(never).status == 0)
        try await receiver.interrupt()
    }
}
