import BLEOTATestSupport
import Glibc
import Testing

/// Keys, bundles and what a receiver makes of them, as a user meets them.
@Suite("Trust")
struct TrustTests {
    private let place = ToolDirectory()

    @Test("From a key to a verified image: generate, sign, show, verify, receive, push")
    func wholeWay() async throws {
        try await place.generateKey()
        let image = place.image(50_000)
        try await place.sign(
            image,
            as: "lamp.bleota",
            "--hardware",
            "acme/lamp:2-5",
            "--version",
            "2.1.0",
            "--counter",
            "7",
            "--expires",
            "2099-12-31"
        )
        let bundle = place.path("lamp.bleota")
        let shown = try await place.run("show", bundle)
        #expect(shown.status == 0)
        for line in [
            "format        bundle", "version       2.1.0", "hardware      acme/lamp:2-5",
            "counter       7", "expires       2099-12-31 23:59 UTC",
        ] {
            #expect(shown.output.contains(line), "\(line) in \(shown.output)")
        }
        let key = place.path("release.pem.pub")
        let verified = try await place.run("verify", bundle, "--key", key)
        #expect(verified.status == 0 && verified.output.contains(", valid"), "\(verified.errors)")

        let receiver = try await place.receiver("--trust", key, "--hardware", "acme/lamp:3")
        let push = try await place.run("push", bundle, "--connect", place.target)
        #expect(push.status == 0, "\(push.errors)")
        #expect(place.bytes("store/current/image") == place.bytes("image.bin"))
        let bare = try await place.run("push", image, "--connect", place.target)
        #expect(bare.status == 65)
        #expect(bare.errors.contains("bleota sign"))
        try await receiver.interrupt()
    }

    /// `verify` said "verified" and ended with 0, and `sign` said nothing. A device refuses it.
    @Test("A bundle that has expired is not verified, and is signed with a note")
    func expired() async throws {
        try await place.generateKey()
        let key = place.path("release.pem.pub")
        for (day, isExpired) in [("2020-12-31", true), ("2099-12-31", false)] {
            let image = place.image(5_000)
            let signed = try await place.sign(image, as: "lamp.bleota", "--expires", day)
            #expect(signed.errors.contains("\(day) 23:59 UTC is past") == isExpired)
            #expect(signed.errors.isEmpty != isExpired)
            let verified = try await place.run("verify", place.path("lamp.bleota"), "--key", key)
            #expect(verified.status == (isExpired ? 65 : 0))
            #expect(verified.output.contains("verified") != isExpired)
            #expect(verified.errors.contains("expired after \(day)") == isExpired)
            #expect(verified.errors.isEmpty != isExpired)
        }
    }

    @Test("A receiver trusts public keys alone, and none that anybody can sign for")
    func trusted() async throws {
        try await place.generateKey()
        // The neutral element of the curve: 0 and 1 in the two coordinates.
        let weak = place.path("weak.pem")
        place.write(
            Array(
                """
                -----BEGIN PUBLIC KEY-----
                MCowBQYDK2VwAyEAAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=
                -----END PUBLIC KEY-----

                """.utf8
            ),
            to: "weak.pem"
        )
        for (key, words) in [(place.path("release.pem"), ".pub"), (weak, "anyone can forge")] {
            let result = try await RunningTool(
                ["receive", "--listen", place.target, "--store", place.store, "--trust", key],
                in: place
            ).end(within: 20)
            #expect(result.status == 64, "\(result.errors)")
            #expect(result.isOneSentence, "\(result.errors)")
            #expect(result.errors.contains(words), "\(result.errors)")
        }
    }

    @Test("An older counter, another revision and a stranger's key: 65, and what to do")
    func refusals() async throws {
        try await place.generateKey()
        try await place.generateKey("stranger.pem")
        let image = place.image(5_000)
        try await place.sign(image, as: "new.bleota", "--counter", "8", "--hardware", "acme/lamp:3")
        try await place.sign(image, as: "old.bleota", "--counter", "7", "--hardware", "acme/lamp:3")
        try await place.sign(
            image,
            as: "other.bleota",
            "--counter",
            "9",
            "--hardware",
            "acme/lamp:4"
        )
        try await place.sign(
            image,
            as: "s.bleota",
            key: "stranger.pem",
            "--counter",
            "9",
            "--hardware",
            "acme/lamp:3"
        )
        let receiver = try await place.receiver(
            "--trust",
            place.path("release.pem.pub"),
            "--hardware",
            "acme/lamp:3"
        )
        for (bundle, status, words) in [
            ("new", 0, ""), ("old", 65, "below 8"), ("other", 65, "--hardware"),
            ("s", 65, "trusts none"),
        ] as [(String, Int32, String)] {
            let push = try await place.run(
                "push",
                place.path("\(bundle).bleota"),
                "--connect",
                place.target
            )
            #expect(push.status == status, "\(bundle): \(push.errors)")
            #expect(push.errors.contains(words), "\(bundle): \(push.errors)")
        }
        try await receiver.interrupt()
    }

    //= BUNDLE-2
    @Test("A bundle that was changed does not leave this machine")
    func changed() async throws {
        try await place.generateKey()
        try await place.sign(place.image(5_000), as: "lamp.bleota")
        let bytes = try #require(place.bytes("lamp.bleota"))
        let verify = ["verify", "--key", place.path("release.pem")]
        // At the end of the image, and where the manifest begins.
        for (offset, words) in [(bytes.count - 1, "hashes"), (12, "a manifest is not valid")] {
            var changed = bytes
            changed[offset] ^= 1
            place.write(changed, to: "changed.bleota")
            for command in [["show"], verify, ["push", "--loopback"]] {
                let result = try await place.run(command + [place.path("changed.bleota")])
                #expect(result.status == 65, "\(command): \(result.errors)")
                #expect(result.errors.contains(words), "\(command): \(result.errors)")
            }
        }
    }

    @Test("An implementation from the text of the specification alone verifies what the tool signs")
    func independent() async throws {
        try await place.generateKey()
        try await place.generateKey("other.pem")
        for byteCount in [1, 4_096, 50_001] {
            let image = place.image(byteCount)
            try await place.sign(
                image,
                as: "lamp.bleota",
                "--hardware",
                "acme/lamp:3",
                "--counter",
                "7"
            )
            for (key, status) in [("release", 0), ("other", 1)] as [(String, Int32)] {
                let verified = try await place.verified("lamp.bleota", "\(key).pem.pub")
                #expect(verified.status == status, "\(key): \(verified.output)\(verified.errors)")
            }
        }
    }

    @Test("A second signature joins the first, and a bundle keeps what it says")
    func twice() async throws {
        try await place.generateKey()
        try await place.generateKey("second.pem")
        let bundle = place.path("lamp.bleota")
        try await place.sign(place.image(5_000), as: "lamp.bleota", "--counter", "3")
        // Its own input it never replaces.
        try await place.sign(bundle, as: "lamp.bleota", key: "second.pem", endingWith: 73)
        let again = try await place.sign(bundle, as: "twice.bleota", key: "second.pem")
        #expect(again.output.contains("counter       3"))
        for key in ["release.pem", "second.pem"] {
            let twice = place.path("twice.bleota")
            let result = try await place.run("verify", twice, "--key", place.path(key))
            #expect(result.status == 0, "\(result.errors)")
        }
        try await place.sign(
            bundle,
            as: "other.bleota",
            key: "second.pem",
            "--counter",
            "4",
            endingWith: 64
        )
    }

    @Test("A key is never overwritten, and one that others may read signs nothing")
    func keys() async throws {
        try await place.generateKey()
        let again = try await place.run("key", "generate", place.path("release.pem"))
        #expect(again.status == 73)
        #expect(again.errors.contains("never overwritten"))
        #expect(chmod(place.path("release.pem"), 0o644) == 0)
        let signed = try await place.sign(place.image(100), as: "x.bleota", endingWith: 77)
        #expect(signed.errors.contains("chmod 600"))
        let shown = try await place.run("key", "show", place.path("release.pem.pub"))
        #expect(shown.status == 0 && shown.output.contains("BEGIN PUBLIC KEY"))
    }

    @Test(
        "Others' tools read the keys, and their keys sign",
        .enabled(if: access("/usr/bin/openssl", X_OK) == 0)
    )
    func openssl() async throws {
        let made = try await RunningTool(
            ["genpkey", "-algorithm", "ed25519", "-out", place.path("theirs.pem")],
            in: place,
            program: "/usr/bin/openssl"
        ).end(within: 20)
        #expect(made.status == 0, "\(made.errors)")
        #expect(chmod(place.path("theirs.pem"), 0o600) == 0)
        try await place.sign(place.image(100), as: "x.bleota", key: "theirs.pem")
        try await place.generateKey()
        let read = try await RunningTool(
            ["pkey", "-in", place.path("release.pem"), "-noout", "-text"],
            in: place,
            program: "/usr/bin/openssl"
        ).end(within: 20)
        #expect(read.status == 0 && read.output.contains("ED25519"), "\(read.errors)")
    }
}
