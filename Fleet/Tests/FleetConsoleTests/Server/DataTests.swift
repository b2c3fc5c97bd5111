import FleetModel
import FleetStore
import FleetTestSupport
import Foundation
import NATS
import Testing

@testable import FleetConsole

@Suite("The console's data", .enabled(if: TestServer.isThere, "\(TestServer.isMissing)"))
struct DataTests {
    /// The rows of the README's table: an address, and the members of its object.
    private static func rows() throws -> [(path: String, members: Set<String>)] {
        // Server, FleetConsoleTests, Tests, the package.
        let package = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { path, _ in
            path.deletingLastPathComponent()
        }
        let readme = package.appendingPathComponent("README.md")
        return try String(contentsOf: readme, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("| `/api/") }
            .map { line in
                let cells = line.split(separator: "|").map { $0.matches(of: /`([^`]+)`/) }
                let path = String(cells[0][0].output.1)
                return (path, Set(cells[1].map { String($0.output.1) }))
            }
    }

    @Test("Every address of the README answers with the members that it lists, and no other")
    func documented() async throws {
        let site = try await Site()
        var campaign = Sample.plan()
        campaign = Sample.plan(
            CampaignID("NAME")!,
            stages: campaign.stages.shares.map(\.basisPoints)
        )
        try await site.store.campaigns.create(
            campaign.id,
            Sample.campaign(.start(.init(4)!), plan: campaign)
        )
        var device = DeviceRecord(
            id: DeviceID("NAME")!,
            hardware: Sample.lamp,
            group: GroupName("hall"),
            version: Sample.old
        )
        _ = device.assign(campaign.id, at: Sample.at(0))
        _ = device.lend(to: GatewayID("NAME")!, at: Sample.at(0), campaign.retries)
        try await site.store.devices.create(device.id, device)
        try await site.store.gateways.create(GatewayID("NAME")!, Sample.status())
        let report = Report(
            campaign: campaign.id,
            turn: Turn(1),
            .working(storedByteCount: 1, byteCount: 2)
        )
        let name = DeviceAtGateway(device.id, at: GatewayID("NAME")!)
        try await site.store.reports.create(name, report)
        let bearer = ["Authorization": "Bearer \(site.token.text)"]
        try await eventually("all has been read") {
            let bodies = try await [
                site.client.get("/api/fleet", bearer), site.client.get("/api/devices/NAME", bearer),
            ].map(\.body)
            return bodies[0].contains("\"isComplete\":true") && bodies[1].contains("\"bytes\":2")
                && bodies[0].contains("\"all\":1}")
        }
        let rows = try Self.rows()
        #expect(rows.count == 9)
        for (path, members) in rows {
            let address = path.split(separator: "?")[0]
            let answer = try await site.client.get(String(address), bearer)
            #expect(answer.status == 200, "\(path)")
            let json = try JSONSerialization.jsonObject(with: Data(answer.body.utf8))
            let found = Set(try #require(json as? [String: Any]).keys)
            #expect(found.isSubset(of: members), "\(path): \(found.subtracting(members))")
            // What has nothing to say here.
            let absent: Set = ["group", "detail", "waitsFor"]
            #expect(members.subtracting(found).isSubset(of: absent), "\(path)")
        }
    }
}
