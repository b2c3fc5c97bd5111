import BLEOTA
import FleetModel
import FleetStore
import FleetTestSupport
import Foundation
import NATS
import Testing

@Suite("bleota-fleet devices enroll", .enabled(if: TestServer.isThere, "\(TestServer.isMissing)"))
struct EnrolTests {
    /// Writes a public key, and returns it.
    private func key(_ name: String, _ key: SigningKey, in office: Office) throws -> DeviceKey {
        let pem = key.verifyingKey.pem
        try Data(pem.utf8).write(to: URL(fileURLWithPath: office.server.folder.path(name)))
        return try #require(DeviceKey(key.verifyingKey.bytes))
    }

    private func list(_ text: String, in office: Office) throws -> String {
        let path = office.server.folder.path("list")
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test("Stores the keys of both kinds, beside the list or elsewhere, and replaces them")
    func enrols() async throws {
        let office = try await Office()
        let first = try key("a.pub", .generate(), in: office)
        let second = try key("b.pub", .generateP256(), in: office)
        let elsewhere = office.server.folder.path("b.pub")
        let file = try list("lamp-1 a.pub\n\n  lamp-2\t\(elsewhere)  \n", in: office)
        let answer = try await office.run("devices", "enroll", file)
        #expect(answer.code == 0 && answer.text == "2 keys enrolled\n")
        let (one, two) = (DeviceID("lamp-1")!, DeviceID("lamp-2")!)
        #expect(try await office.store.keys.get(one).value == first)
        #expect(try await office.store.keys.get(two).value == second)

        let again = try await office.run(
            "devices",
            "enroll",
            try list("lamp-1 b.pub\n", in: office),
            "--json"
        )
        let line =
            #"{"event":"enrolled","device":"lamp-1","key":"\#(second.hexadecimal)"}"# + "\n"
        #expect(again.code == 0 && again.text == line)
        #expect(try await office.store.keys.get(one).value == second)
    }

    @Test("Stores nothing of a list that has a mistake, and says in which line it is")
    func mistakes() async throws {
        let office = try await Office()
        _ = try key("a.pub", .generate(), in: office)
        let secret = SigningKey.generate()
        try Data(secret.pem.utf8)
            .write(to: URL(fileURLWithPath: office.server.folder.path("secret.pem")))
        let rows: [(String, String)] = [
            ("lamp-1 a.pub\nlamp-2\n", "line 2 of"), ("lamp-1 a.pub b.pub\n", "line 1 of"),
            ("lamp/1 a.pub\n", "line 1 of"), ("lamp-1 a.pub\nlamp-1 a.pub\n", "as line 1 is"),
            ("lamp-1 missing.pub\n", "line 1 of"), ("lamp-1 secret.pem\n", "line 1 of"),
            ("lamp-1 list\n", "line 1 of"),
        ]
        for (text, sentence) in rows {
            let file = try list(text, in: office)
            let answer = try await office.run("devices", "enroll", file)
            #expect(answer.code == 65 && answer.text.contains(sentence), "\(text): \(answer.text)")
        }
        let missing = office.server.folder.path("nothing")
        #expect(try await office.run("devices", "enroll", missing).code == 74)
        #expect(try await office.run("devices", "enroll").code == 64)
        let bucket = try await office.store.connection.bucket(FleetStore.Part.keys.bucket)
        #expect(try await bucket.keys().isEmpty)
    }
}
