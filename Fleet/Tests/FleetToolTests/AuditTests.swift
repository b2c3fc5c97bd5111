import FleetModel
import FleetStore
import FleetTestSupport
import Foundation
import NATS
import Testing

@Suite("bleota-fleet audit", .enabled(if: TestServer.isThere, "\(TestServer.isMissing)"))
struct AuditTests {
    @Test("Everything that an operator does is written down, and what is refused isn't")
    func steps() async throws {
        let office = try await Office()
        try await office.add(Sample.device("a"))
        let image = try await office.bundle()
        let create = ["campaign", "create", "spring", "--image", image]
        #expect(try await office.run(create).code == 0)
        #expect(try await office.run(create).code == 64)
        let steps = [
            ("resume", 64), ("start", 0), ("pause", 0), ("pause", 64), ("resume", 0), ("stop", 0),
            ("stop", 64),
        ]
        for (step, code) in steps {
            #expect(try await office.run("campaign", step, "spring").code == code, "\(step)")
        }
        let gateway = AuditLog.Subject.gateway(Sample.east)
        try await office.store.audit.add("east lies", by: "controller", about: gateway)
        let done = [
            "created spring: 2.0.0 for acme/lamp", "started spring", "paused spring",
            "resumed spring", "stopped spring", "east lies",
        ]
        let lines = try await office.run("audit", "--json").lines
        let objects = try lines.map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(objects.map { $0["detail"] as? String } == done)
        let about = objects.map { $0["about"] as? String }
        #expect(about == [String](repeating: "operator", count: 5) + ["east"])
        let author = try #require(objects[0]["author"] as? String)
        #expect(author.wholeMatch(of: /.+ on .+, process [0-9]+/) != nil, "\(author)")
        #expect(objects.allSatisfy { $0["user"] == nil })
        let last = try await office.run("audit", "--last", "2").lines
        #expect(last.count == 2)
        let stopper = try #require(objects[4]["author"] as? String)
        #expect(last[0].hasSuffix(" operator         stopped spring (\(stopper))"))
        #expect(last[1].hasSuffix(" east             east lies (controller)"))
    }

    @Test("An author's text can't steer a terminal, and a text that is no entry is named as such")
    func hostile() async throws {
        let office = try await Office()
        #expect(try await office.run("audit").text == "there are no entries yet\n")
        #expect(try await office.run("audit", "--json").text.isEmpty)
        try await office.store.audit.add("\u{1B}[2Jgone\n", by: "\u{9B}x", about: .operator)
        _ = try await office.store.connection.store([1, 2], to: .init("fleet.audit.east")!)
        let lines = try await office.run("audit").lines
        #expect(lines.count == 2)
        #expect(lines[0].hasSuffix(" [2Jgone (x)"))
        #expect(lines[1].hasSuffix(" an entry that can't be read"))
        #expect(try await office.run("audit", "--json").lines.count == 2)
        #expect(try await office.run("audit", "--last", "0").code == 64)
    }
}
