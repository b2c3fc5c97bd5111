import FleetModel
import FleetStore
import FleetTestSupport
import NATS
import Testing

@testable import FleetTool

@Suite(
    "bleota-fleet campaign create",
    .enabled(if: TestServer.isThere, "\(TestServer.isMissing)")
)
struct CreateCampaignTests {
    @Test("Takes the version and the hardware from the bundle, and stores it")
    func create() async throws {
        let office = try await Office()
        let path = try await office.bundle()
        let answer = try await office.run("campaign", "create", "spring", "--image", path)
        #expect(answer.code == 0)
        #expect(
            answer.text == """
                spring  2.0.0 for acme/lamp; begin it with bleota-fleet campaign start spring

                """
        )
        let campaign = try await office.campaign()
        #expect(campaign.phase == .ready)
        #expect(campaign.plan.version == Sample.new)
        #expect(campaign.plan.selection == Selection(hardware: Sample.lamp))
        #expect(campaign.plan.stages.shares.map(\.basisPoints) == [100, 500, 2_500, 10_000])
        let bytes = try #require(TestFolder.read(path))
        let info = try await office.store.images.info(campaign.plan.image)
        #expect(info.byteCount == UInt64(bytes.count))
        #expect(try await office.store.images.chunk(0, of: campaign.plan.image) == bytes)

        let again = try await office.run("campaign", "create", "spring", "--image", path)
        #expect(again.code == 64)
        let sentence = "bleota-fleet: there is a campaign spring already: use another name.\n"
        #expect(again.text == sentence)
    }

    @Test("The help has the defaults of a plan")
    func defaults() async throws {
        let office = try await Office()
        let words = ["campaign", "create", "spring", "--image", try await office.bundle()]
        #expect(try await office.run(words).code == 0)
        let plan = try await office.campaign().plan
        let output = office.server.folder.path("help")
        _ = try ChildProcess([Tool.path, "help", "campaign", "create"], output: output).wait()
        let help = String(decoding: TestFolder.read(output) ?? [], as: UTF8.self)
        let stages = plan.stages.shares.map { "\($0.basisPoints / 100)" }.joined(separator: ",")
        #expect(help.contains("; \(stages) by default."))
        let failures = "allowed; \(plan.failuresAllowed.basisPoints / 100) by default."
        #expect(help.contains(failures))
        #expect(help.contains("1 to 10; \(plan.retries.attemptCount) by default."))
        // The lines are wrapped.
        #expect(
            help.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(
                "two equal times are the whole day."
            )
        )
        #expect(plan.receipts == .optional && help.contains("optional by default."))
        #expect(help.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test("Takes every part of a plan, and hardware without its vendor")
    func options() async throws {
        let office = try await Office()
        let answer = try await office.run(
            "campaign",
            "create",
            "spring",
            "--image",
            try await office.bundle(),
            "--json",
            "--version",
            "2.0.0",
            "--hardware",
            "lamp",
            "--group",
            "hall",
            "--oldest",
            "1.2.0",
            "--stages",
            "10%,100",
            "--max-failures",
            "5",
            "--window",
            "22:00-06:00",
            "--attempts",
            "4"
        )
        #expect(answer.code == 0, "\(answer.text)")
        let plan = try await office.campaign().plan
        let selection = Selection(
            hardware: try #require(HardwareName("lamp")),
            group: GroupName("hall"),
            oldest: FirmwareVersion(1, 2, 0)
        )
        #expect(plan.selection == selection)
        #expect(plan.stages.shares.map(\.basisPoints) == [1_000, 10_000])
        #expect(plan.failuresAllowed.basisPoints == 500)
        #expect(plan.window == DayWindow(opening: 1_320, minutes: 480))
        #expect(plan.retries.attemptCount == 4)
    }

    @Test("A window may go on into the next day, and two equal times are the whole day")
    func windows() throws {
        for (text, opening, minutes) in [
            ("22:00-06:00", 1_320, 480), ("06:00-22:00", 360, 960), ("22:00-22:00", 1_320, 1_440),
            ("00:00-00:00", 0, 1_440),
        ] as [(String, UInt16, UInt16)] {
            #expect(try Values.window(text) == DayWindow(opening: opening, minutes: minutes))
        }
    }

    @Test(
        "Says what is wrong with stages",
        arguments: [
            ("25,50", "the last stage must be 100 percent, which is all devices: '25,50,100'?"),
            ("1 5 100", "stages have a comma between them, like 1,5,100, not '1 5 100'"),
            ("1,,100", "stages have a comma between them, like 1,5,100, not '1,,100'"),
            ("0,100", "the first stage must be above 0 percent, in '0,100'"),
            (
                "5,5,100",
                "each stage must be larger than the one before, because it includes that, in "
                    + "'5,5,100'"
            ),
            ("1,101", "a share is 0 to 100 percent, not '101'"),
        ]
    )
    func stages(text: String, sentence: String) throws {
        let folder = try TestFolder()
        let path = folder.path("output")
        let words = ["campaign", "create", "spring", "--image", "x", "--stages", text]
        #expect(try ChildProcess([Tool.path] + words, output: path).wait() == 64)
        let output = String(decoding: TestFolder.read(path) ?? [], as: UTF8.self)
        #expect(output.contains(sentence), "\(output)")
    }

    @Test("Refuses what is no bundle, or not the one that was meant, and stores nothing")
    func refusals() async throws {
        let office = try await Office()
        let folder = office.server.folder
        let text = try folder.write("BLB0 is no bundle", to: "text.bleota")
        let damaged = folder.path("damaged.bleota")
        var bytes = try #require(TestFolder.read(try await office.bundle()))
        bytes[bytes.count - 1] ^= 1
        try #require(TestFolder.write(bytes, damaged))
        let good = try await office.bundle()
        let unsigned = try await office.bundle(isSigned: false)
        let nameless = try await office.bundle(hardware: nil)
        let odd = try await office.bundle(version: "spring")
        let unversioned = try await office.bundle(version: nil)
        let rows: [(words: [String], code: Int32, sentence: String)] = [
            ([text], 65, "\(text) is no image bundle: make one of it with bleota sign."),
            (
                [damaged], 65,
                "\(damaged) is an unusable bundle: its image does not match the hashes in its "
                    + "manifest; get it again from its maker."
            ),
            (
                [folder.path("none")], 74,
                "\(folder.path("none")) can't be read: No such file or directory."
            ),
            ([good, "--version", "2.1.0"], 65, "\(good) has version 2.0.0, not 2.1.0."),
            ([good, "--hardware", "lock"], 65, "\(good) is for acme/lamp, not for lock."),
            ([good, "--hardware", "ame/lamp"], 65, "\(good) is for acme/lamp, not for ame/lamp."),
            (
                [unsigned], 65,
                "nobody has signed \(unsigned): use bleota sign, or add --allow-unsigned."
            ),
            (
                [nameless], 64,
                "\(nameless) doesn't state its hardware: say which with --hardware NAME."
            ),
            (
                [odd], 65,
                "the version of \(odd) must be three numbers such as 2.1.0, not spring."
            ),
            (
                [unversioned], 65,
                "\(unversioned) states no version: make it with bleota sign --version 2.1.0."
            ),
        ]
        for row in rows {
            let answer = try await office.run(
                ["campaign", "create", "spring", "--image"] + row.words
            )
            #expect(answer.text == "bleota-fleet: \(row.sentence)\n")
            #expect(answer.code == row.code, "\(row.sentence)")
        }
        await #expect(throws: FleetStoreError.nats(.notFound)) { try await office.campaign() }

        let words = ["--image", unsigned, "--allow-unsigned"]
        #expect(try await office.run(["campaign", "create", "spring"] + words).code == 0)
    }
}
