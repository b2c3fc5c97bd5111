import FleetTestSupport
import NATS
import Testing

@Suite("Names")
struct NameTests {
    @Test(
        "A subject has tokens of visible characters",
        arguments: [
            ("fleet.outcome.7", true), ("a", true), ("$SYS.x", true), ("é", false), ("", false),
            (".", false), ("a.", false), (".a", false), ("a..b", false), ("a b", false),
            ("a.*", false), ("a.>", false), ("a\r\nPUB b 0", false),
            (String(repeating: "a", count: 255), true), (String(repeating: "a", count: 256), false),
        ]
    )
    func subjects(text: String, isValid: Bool) {
        #expect((Subject(text) != nil) == isValid)
    }

    @Test(
        "A filter may have wildcards as whole tokens, and the last for all",
        arguments: [
            ("fleet.*.7", true), (">", true), ("fleet.>", true), ("*", true), ("*.>", true),
            ("fleet.>.7", false), ("fleet.a*", false), ("fleet>", false), (".>", false),
            (">.>", false), ("", false),
        ]
    )
    func filters(text: String, isValid: Bool) {
        #expect((SubjectFilter(text) != nil) == isValid)
        #expect((KeyFilter(text) != nil) == isValid)
    }

    @Test(
        "A key has letters, digits and a few marks",
        arguments: [
            ("device.AA-01/b=c_d", true), ("device.", false), ("a b", false), ("a:b", false),
            ("*", false), (String(repeating: "k", count: 180), true),
            (String(repeating: "k", count: 181), false),
        ]
    )
    func keys(text: String, isValid: Bool) {
        #expect((Key(text) != nil) == isValid)
    }

    @Test(
        "Buckets, streams and consumers are one word",
        arguments: [
            ("leases", true), ("A-1_b", true), ("a.b", false), ("", false), ("a/b", false),
            ("../x", false), (String(repeating: "b", count: 64), true),
            (String(repeating: "b", count: 65), false),
        ]
    )
    func words(text: String, isValid: Bool) {
        #expect((BucketName(text) != nil) == isValid)
        #expect((StreamName(text) != nil) == isValid)
        #expect((ConsumerName(text) != nil) == isValid)
    }

    @Test("The longest key in the longest bucket is a subject")
    func longest() {
        let bucket = String(repeating: "b", count: BucketName.byteCountMax)
        let key = String(repeating: "k", count: Key.byteCountMax)
        #expect(Subject("$KV.\(bucket).\(key)") != nil)
    }

    @Test(
        "An address is a host and a port, without a password",
        arguments: [
            ("a.example", "nats://a.example:4222"), ("nats://a:1", "nats://a:1"),
            ("10.0.0.1:65535", "nats://10.0.0.1:65535"), ("a:0", nil), ("a:65536", nil),
            ("", nil), ("nats://", nil), ("user:secret@a:1", nil), ("a b", nil), ("tls://a", nil),
            ("[::1]:4333", "nats://[::1]:4333"), ("nats://[fd00::1]", "nats://[fd00::1]:4222"),
            ("::1", nil), ("[::1", nil), ("[::1]4222", nil), ("[::1]:", nil), ("[]", nil),
            ("[a.example]", nil), ("a]", nil), ("[10.0.0.1]:4222", nil),
        ]
    )
    func addresses(text: String, description: String?) {
        #expect(ServerAddress(text)?.description == description)
    }

    @Test("Versions are ordered by their numbers")
    func versions() throws {
        let beta = try #require(ServerVersion("2.11.0-beta.1"))
        #expect(beta == .oldest)
        #expect(try #require(ServerVersion("2.9.10")) < .oldest)
        #expect(try #require(ServerVersion("2.15.1")) > .oldest)
        for text in ["", "2", "2.11", "2.11.x", "2.11.0.1", "v2.11.0", "2.11.70000"] {
            #expect(ServerVersion(text) == nil, "\(text)")
        }
    }

    @Test("A public key with a wrong character is none, and a seed is none")
    func publicKeys() throws {
        let keys = try TestKeys(in: TestFolder(), name: "user")
        let text = keys.key.text
        #expect(text.count == 56)
        for index in text.indices {
            let other: Character = text[index] == "A" ? "B" : "A"
            let changed = text.replacingCharacters(at: index, by: other)
            #expect(NKey(changed) == nil)
        }
        let seed = String(decoding: TestFolder.read(keys.seedFile) ?? [], as: UTF8.self)
        #expect(NKey(String(seed.dropLast())) == nil)
    }
}

extension String {
    fileprivate func replacingCharacters(at index: Index, by character: Character) -> String {
        String(self[..<index]) + String(character) + String(self[self.index(after: index)...])
    }
}
