import FleetModel
import FleetStore
import FleetTestSupport
import NATS
import Testing

@Suite(
    "bleota-fleet campaign delete",
    .enabled(if: TestServer.isThere, "\(TestServer.isMissing)")
)
struct DeleteCampaignTests {
    @Test("Takes the image along, unless another campaign has it, and is written down")
    func images() async throws {
        let office = try await Office()
        let path = try await office.bundle()
        for name in ["spring", "summer"] {
            let words = ["campaign", "create", name, "--image", path]
            #expect(try await office.run(words).code == 0)
        }
        let image = try await office.campaign().plan.image
        let first = try await office.run("campaign", "delete", "spring")
        #expect(first.text == "spring  deleted; another campaign has its image\n")
        #expect(first.code == 0)
        _ = try await office.store.images.chunk(0, of: image)
        let second = try await office.run("campaign", "delete", "summer", "--json")
        #expect(second.text == #"{"event":"deleted","campaign":"summer","image":true}"# + "\n")
        await #expect(throws: FleetStoreError.nats(.notFound)) {
            try await office.store.images.info(image)
        }
        await #expect(throws: FleetStoreError.brokenImage(image)) {
            try await office.store.images.chunk(0, of: image)
        }
        #expect(try await office.run("campaign", "list").lines.count == 1)
        #expect(try await office.run("campaign", "delete", "spring").code == 69)
        let audit = try await office.run("audit").text
        #expect(audit.contains("deleted spring; another campaign has its image"))
        #expect(audit.contains("deleted summer, with its image"))
        // Neither had begun, so both names are free.
        let words = ["campaign", "create", "spring", "--image", path]
        #expect(try await office.run(words).code == 0)
        let bytes = try #require(TestFolder.read(path))
        #expect(try await office.store.images.chunk(0, of: image) == bytes)
    }

    /// The controller had counted it.
    @Test("Frees the name of a campaign that was stopped before it began")
    func neverBegun() async throws {
        let office = try await Office()
        try await office.add(Sample.device("a"))
        let output = office.server.folder.path("controller.log")
        let controller = try office.start(["controller"], output: output)
        let path = try await office.bundle()
        let create = ["campaign", "create", "spring", "--image", path]
        let words = ["stop", "status", "delete"].map { ["campaign", $0, "spring"] }
        #expect(try await office.run(create).code == 0)
        #expect(try await office.run(words[0]).text == "spring  stopped\n")
        let other = CampaignID("autumn")!
        try await office.add(Sample.plan(other), .start(DeviceCount(1)!))
        // The controller has seen both by then.
        try await eventually("the other one is counted") {
            (try? await office.store.progress.get(other)) != nil
        }
        let status = try await office.run(words[1])
        #expect(status.lines.first == "spring  2.0.0 for acme/lamp  stopped")
        #expect(!status.text.contains("counted"), "\(status.text)")
        #expect(try await office.run(words[2]).code == 0)
        #expect(try await office.run(create).code == 0)
        controller.terminate()
        #expect(try await controller.end() == 0)
    }

    @Test("Is refused while the campaign runs, and while a gateway works for it")
    func refusals() async throws {
        let office = try await Office()
        let population = DeviceCount(2)!
        var device = Sample.device("a")
        for (inputs, code, sentence) in [
            (
                [.start(population)], 64,
                "spring can't be deleted: it is running, stage 1; end it first with bleota-fleet "
                    + "campaign stop spring"
            ),
            (
                [.start(population), .pause], 64,
                "spring can't be deleted: it is paused, stage 1; end it first with bleota-fleet "
                    + "campaign stop spring"
            ),
            (
                [.start(population), .stop], 75,
                "spring can't be deleted yet: 1 devices are still being updated for it"
            ),
        ] as [([CampaignPhase.Input], Int32, String)] {
            var campaign = Campaign(Sample.plan())
            for input in inputs { campaign.handle(input) }
            try await office.store.campaigns.put(Sample.spring, campaign)
            if device.job == nil {
                _ = device.assign(Sample.spring, at: SystemTime.moment)
                _ = device.lend(to: Sample.east, at: SystemTime.moment, Sample.plan().retries)
                try await office.add(device)
            }
            let answer = try await office.run("campaign", "delete", "spring")
            #expect(answer.text == "bleota-fleet: \(sentence).\n")
            #expect(answer.code == code)
            #expect(try await office.campaign() == campaign)
        }
        device.endLease()
        try await office.add(device)
        try await office.count(Sample.counts(given: 1), stage: 0, of: 2)
        #expect(try await office.run("campaign", "delete", "spring").code == 0)

        // Its outcomes would count as those of a new one.
        let path = try await office.bundle()
        let again = try await office.run("campaign", "create", "spring", "--image", path)
        #expect(again.code == 64)
        #expect(
            again.text == """
                bleota-fleet: there was a campaign spring, which had begun, and devices may know \
                it: use another name.

                """
        )
    }
}
