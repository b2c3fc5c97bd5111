import FleetModel
import FleetStore
import FleetTestSupport
import Testing

@Suite(
    "Over Bluetooth",
    .enabled(if: Guest.isHere, "runs in the guest: scripts/test-bluez.sh fleet"),
    .enabled(if: TestServer.isThere, "\(TestServer.isMissing)"),
    .timeLimit(.minutes(15))
)
struct CampaignTests {
    @Test("A gateway updates two devices by a campaign, and each restarts into its image")
    func twoDevices() async throws {
        let site = try await Site()
        do { try await twoDevices(at: site) } catch {
            site.printLogs()
            throw error
        }
    }

    private func twoDevices(at site: Site) async throws {
        let bundle = try await site.makeBundle(version: "2.0.0")
        let kitchen = BluetoothDevice("lamp-kitchen", on: Guest.kitchen, at: site)
        // Its version is too long for an advertisement, so the gateway has to ask for it.
        let cellar = BluetoothDevice(
            "lamp-cellar",
            on: Guest.cellar,
            at: site,
            build: "+20261127"
        )
        let devices = [kitchen, cellar]
        for device in devices { try await device.start(version: "1.0.0") }

        let controller = try site.start("controller", [])
        let gateway = try site.start(
            "gateway",
            [
                "--name", "hall", "--cache", site.folder.path("cache"),
                "--adapter", Guest.central, "--hardware", "lamp-=acme/lamp@ground-floor",
            ]
        )
        for device in devices {
            try await site.awaitRecord(of: device.id, "is known") {
                $0.version == FirmwareVersion(1, 0, 0) && $0.hardware.text == "acme/lamp"
                    && $0.group?.text == "ground-floor"
            }
        }

        try await site.run(
            [
                "campaign", "create", "spring", "--image", bundle.path, "--version", "2.0.0",
                "--stages", "50,100",
            ]
        )
        try await site.run(["campaign", "start", "spring"])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for device in devices {
                group.addTask { try await device.restartAfterInstalling(version: "2.0.0") }
            }
            // The first failure ends the wait for the others.
            while try await group.next() != nil {}
        }

        let spring = CampaignID("spring")!
        try await eventually("the campaign is finished", within: Guest.patience) {
            try await site.store.campaigns.get(spring).value.phase == .finished
        }
        for device in devices {
            let record = try await site.store.devices.get(device.id).value
            #expect(record.job?.outcome == .succeeded)
            #expect(record.version == FirmwareVersion(2, 0, 0))
            #expect(record.lease == nil)
            #expect(device.installedCount == 1)
            // The device itself says so, too.
            try await site.awaitSighting(of: device.id, at: "hall", version: "2.0.0")
        }
        #expect(try await site.orderCount() == 0)
        for process in [gateway, controller] {
            process.terminate()
            #expect(try await process.end(within: Guest.patience) == 0)
        }
        for device in devices {
            try await device.stop()
            #expect(device.currentImage == bundle.image)
        }
    }
}
