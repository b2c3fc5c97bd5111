import BLEOTATestSupport
import Foundation
import Testing

@testable import BLEOTASMP

/// Messages against PyPI's smp, which is not ours.
@Suite(
    "Messages, judged by smp",
    .enabled(if: PythonDevice.areAvailable, Comment(rawValue: PythonDevice.whyUnavailable))
)
struct JudgeTests {
    private static let count = TestScope.choose(2_000, full: 20_000)

    @Test("smp reads every request as it is meant")
    func requests() async throws {
        let seed = try #require(TestSeed.rounds(1).first)
        var random = TestSeed(seed)
        let made = (0..<Self.count).map { _ in Self.request(&random) }
        let place = ToolDirectory()
        let lines = made.map { Hex.text(of: $0.packet) }.joined(separator: "\n")
        try Data(lines.utf8).write(to: URL(fileURLWithPath: place.path("requests")))
        let judged = try await Self.judge(["requests", place.path("requests")], in: place)
        #expect(judged.count == made.count)
        for (request, judgement) in zip(made, judged) {
            #expect(judgement["error"] == nil, "\(judgement)")
            #expect(judgement["class"] as? String == request.name)
            #expect(judgement["sequence"] as? Int == Int(request.sequence))
            #expect(judgement["version"] as? Int == 1)
            let fields = judgement["fields"] as? NSDictionary
            #expect(fields == request.fields as NSDictionary, "\(request.name)")
        }
    }

    @Test("every reply that smp makes is read as it is meant")
    func replies() async throws {
        let seed = try #require(TestSeed.rounds(1).first) >> 1
        let made = try await Self.judge(
            ["replies", "\(seed)", "\(Self.count)"],
            in: ToolDirectory()
        )
        #expect(made.count == Self.count)
        for line in made {
            let hex = try #require(line["hex"] as? String)
            let reply = try #require(Hex.bytes(of: hex).flatMap { SMPReply($0) }, "\(line)")
            #expect(Int(reply.header.sequence) == line["sequence"] as? Int)
            try Self.compare(reply, line)
        }
    }

    // MARK: - Requests

    private struct Made {
        let name: String
        let sequence: UInt8
        let packet: [UInt8]
        let fields: [String: Any]
    }

    private static func request(_ random: inout TestSeed) -> Made {
        let sequence = UInt8(random.below(256))
        let hash = random.bytes(32)
        func made(_ name: String, _ request: SMPRequest, _ fields: [String: Any] = [:]) -> Made {
            Made(
                name: name,
                sequence: sequence,
                packet: request.packet(sequence: sequence),
                fields: fields
            )
        }
        switch random.below(11) {
        case 0: return made("MCUMgrParametersReadRequest", .parameters)
        case 1: return made("ImageStatesReadRequest", .imageState)
        case 2:
            let isForGood = random.chance(50)
            return made(
                "ImageStatesWriteRequest",
                .setState(hash: hash, isForGood: isForGood),
                ["hash": Hex.text(of: hash), "confirm": isForGood]
            )
        case 3: return made("ImageStatesWriteRequest", .confirmRunning, ["confirm": true])
        case 4: return made("ImageEraseRequest", .erase(slot: nil))
        case 5:
            let slot = random.below(300)
            return made("ImageEraseRequest", .erase(slot: slot), ["slot": slot])
        case 6: return made("ResetWriteRequest", .reset(isForced: false))
        case 7:
            let text = String(repeating: "aé€𝄞", count: random.below(40))
            return made("EchoWriteRequest", .echo(text), ["d": text])
        case 8: return made("BootloaderInformationReadRequest", .bootloader)
        case 9:
            return made("OSApplicationInfoReadRequest", .application(format: "a"), ["format": "a"])
        default: return upload(sequence, &random)
        }
    }

    private static func upload(_ sequence: UInt8, _ random: inout TestSeed) -> Made {
        let announcement = UploadChunk.Announcement(
            imageByteCount: 64 + random.below(1 << (7 + random.below(24))),
            sha256: random.bytes(32),
            imageNumber: random.chance(50) ? 0 : random.below(10),
            isUpgradeOnly: random.chance(50)
        )
        let offset = random.chance(30) ? 0 : random.below(announcement.imageByteCount - 8)
        let chunk = UploadChunk.largest(
            at: offset,
            of: announcement,
            packetByteCountMax: 140 + random.below(3_000)
        )
        guard let chunk else { preconditionFailure("a message of 140 bytes holds a chunk") }
        let data = random.bytes(chunk.byteCount)
        var fields: [String: Any] = ["off": offset, "data": Hex.text(of: data)]
        if offset == 0 {
            fields["len"] = announcement.imageByteCount
            fields["sha"] = Hex.text(of: announcement.sha256)
            if announcement.imageNumber != 0 { fields["image"] = announcement.imageNumber }
            if announcement.isUpgradeOnly { fields["upgrade"] = true }
        }
        return Made(
            name: "ImageUploadWriteRequest",
            sequence: sequence,
            packet: chunk.packet(sequence: sequence, data: data),
            fields: fields
        )
    }

    // MARK: - Replies

    private static func compare(_ reply: SMPReply, _ line: [String: Any]) throws {
        let fields = try #require(line["fields"] as? [String: Any])
        switch line["kind"] as? String {
        case "parameters":
            let (size, count) = (fields["buf_size"] as? Int, fields["buf_count"] as? Int)
            let expected = BufferLimits(
                packetByteCountMax: try #require(size),
                requestCountMax: try #require(count) - 1
            )
            #expect(BufferLimits(reply) == expected)
        case "upload":
            #expect(reply.content["off"]?.integer == (fields["off"] as? Int).map { Int64($0) })
        case "echo": #expect(reply.content["r"]?.text == fields["r"] as? String)
        case "error":
            let code = try #require(fields["rc"] as? Int)
            #expect(reply.error == SMPError(group: fields["group"] as? Int, code: code))
        default: try compareImages(reply, fields)
        }
    }

    private static func compareImages(_ reply: SMPReply, _ fields: [String: Any]) throws {
        let expected = try #require(fields["images"] as? [[String: Any]])
        let slots = try #require(ImageList(reply)).slots
        #expect(slots.count == expected.count)
        for (slot, image) in zip(slots, expected) {
            func flag(_ name: String) -> Bool { image[name] as? Bool ?? false }
            #expect(slot.number == image["slot"] as? Int)
            #expect(slot.imageNumber == image["image"] as? Int ?? 0)
            #expect(slot.version == image["version"] as? String)
            #expect(Hex.text(of: slot.hash) == image["hash"] as? String)
            #expect(slot.isBootable == flag("bootable"))
            #expect(slot.isPending == flag("pending"))
            #expect(slot.isConfirmed == flag("confirmed"))
            #expect(slot.isActive == flag("active"))
            #expect(slot.isPermanent == flag("permanent"))
        }
    }

    private static func judge(
        _ arguments: [String],
        in place: ToolDirectory
    ) async throws -> [[String: Any]] {
        let judge = try RunningTool(
            [Repository.path(of: "Tests/Devices/smp_judge.py")] + arguments,
            in: place,
            program: PythonDevice.interpreter
        )
        let result = try await judge.end()
        #expect(result.status == 0, "\(result.errors)")
        return try result.output.split(separator: "\n").map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try #require(object as? [String: Any])
        }
    }
}
