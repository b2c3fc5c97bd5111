import FleetModel
import FleetTestSupport
import Glibc
import Testing

import struct SystemPackage.FilePath

@testable import FleetConsole

@Suite("Who gets into the console")
struct AccessTests {
    @Test("A session ends at its logout, and after its time")
    func sessions() throws {
        var sessions = Sessions()
        let (id, form) = (Secret.random(), Secret.random())
        #expect(sessions.session(id, at: Sample.uptime(0)) == nil)
        sessions.begin(id, form, at: Sample.uptime(0))
        #expect(sessions.session(id, at: Sample.uptime(0))?.formSecret == form)
        let last = Uptime(milliseconds: Sessions.lifetime.milliseconds - 1)
        #expect(sessions.session(id, at: last) != nil)
        #expect(sessions.session(id, at: last + .seconds(1)) == nil)
        #expect(sessions.session(form, at: Sample.uptime(0)) == nil)
        sessions.end(id)
        #expect(sessions.session(id, at: Sample.uptime(0)) == nil)
    }

    @Test("When there are too many sessions, the oldest ends")
    func manySessions() {
        var sessions = Sessions()
        let ids = (0...Sessions.countMax).map { _ in Secret.random() }
        for (second, id) in ids.enumerated() {
            sessions.begin(id, .random(), at: Sample.uptime(UInt64(second)))
        }
        #expect(sessions.count == Sessions.countMax)
        let now = Sample.uptime(100)
        #expect(sessions.session(ids[0], at: now) == nil)
        #expect(ids.dropFirst().allSatisfy { sessions.session($0, at: now) != nil })
    }

    @Test("An address has five tries, and one more every ten seconds; others aren't held back")
    func tries() {
        var tries = LoginGuard()
        func mayTry(_ address: String, _ seconds: UInt64) -> Bool {
            tries.mayTry(address, at: Sample.uptime(seconds))
        }
        for _ in 0..<5 { #expect(mayTry("a", 0)) }
        #expect(!mayTry("a", 0))
        #expect(!mayTry("a", 9))
        #expect(mayTry("b", 9))
        #expect(mayTry("a", 10))
        #expect(!mayTry("a", 10))
        tries.succeeded("a")
        for _ in 0..<5 { #expect(mayTry("a", 10)) }
        #expect(!mayTry("a", 10))
        // Much later, there are five again, and no more.
        for _ in 0..<5 { #expect(mayTry("a", 1_000)) }
        #expect(!mayTry("a", 1_000))
        for number in 0..<2_000 { #expect(mayTry("c\(number)", 1_000)) }
    }

    @Test("A secret is 64 hexadecimal digits, and no two are the same")
    func secrets() {
        let secret = Secret.random()
        #expect(Secret(secret.text) == secret)
        #expect(secret.matches(secret))
        #expect(!secret.matches(.random()))
        for text in ["", "a", secret.text + "0", String(secret.text.dropLast()) + "g"] {
            #expect(Secret(text) == nil)
        }
        // The last digit counts as much as the first.
        let last = secret.text.last == "0" ? "1" : "0"
        #expect(!secret.matches(Secret(secret.text.dropLast() + last)!))
        #expect(Set((0..<100).map { _ in Secret.random() }).count == 100)
    }

    @Test("The token's file is made once, for its owner only")
    func tokenFile() throws {
        let folder = try TestFolder()
        let path = FilePath(folder.path("token"))
        let first = try TokenFile(at: path)
        #expect(first.isNew)
        var status = stat()
        #expect(stat(path.string, &status) == 0 && status.st_mode & 0o777 == 0o600)
        let second = try TokenFile(at: path)
        #expect(!second.isNew && second.token == first.token)
        chmod(path.string, 0o640)
        #expect(throws: TokenFile.Failure.exposed(path)) { try TokenFile(at: path) }
        chmod(path.string, 0o600)
        _ = try folder.write("password\n", to: "token")
        chmod(path.string, 0o600)
        #expect(throws: TokenFile.Failure.noToken(path)) { try TokenFile(at: path) }
        let nowhere = FilePath(folder.path("no/token"))
        #expect(throws: TokenFile.Failure.disk(nowhere, .noSuchFileOrDirectory)) {
            try TokenFile(at: nowhere)
        }
    }

    @Test("An address to listen on is a host and a port")
    func addresses() {
        #expect(ListenAddress("127.0.0.1:8080")?.description == "127.0.0.1:8080")
        #expect(ListenAddress("[::1]:80")?.description == "[::1]:80")
        for (text, isOfThisMachine) in [
            ("127.9.0.1:1", true), ("[::1]:1", true), ("localhost:1", true), ("0.0.0.0:1", false),
            ("[::]:1", false), ("127.example:1", false), ("10.0.0.127:1", false),
        ] {
            #expect(ListenAddress(text)?.isOfThisMachine == isOfThisMachine, "\(text)")
        }
        #expect(ListenAddress("console.example:0")?.port == 0)
        for text in ["", "8080", "host", "host:", "host:65536", ":80", "::1:80", "[]:80", "h:-1"] {
            #expect(ListenAddress(text) == nil, "\(text)")
        }
    }
}
