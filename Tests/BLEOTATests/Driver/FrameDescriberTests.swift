import BLEOTACore
import BLEOTATestSupport
import BLEOTAWire
import Synchronization
import Testing

@testable import BLEOTA

/// What `bleota decode` says of the frames of real transfers.
@Suite("Descriptions of frames", .timeLimit(.minutes(1)))
struct FrameDescriberTests {
    @Test("Every frame of a transfer is described", arguments: [23, 65, 247, 517])
    func wholeTransfer(attMTU: Int) async throws {
        let lines = try await trace(byteCount: 30_000, attMTU: attMTU)
        var describer = FrameDescriber()
        let texts = try lines.compactMap { line throws(TraceError) in
            try describer.describe(line: line)
        }
        #expect(texts.count == lines.count)
        #expect(texts.filter { $0.hasPrefix("?") } == [])
        #expect(texts[0].contains(" → OPEN session 0x"))
        #expect(texts[1].contains(" ← ACK manifest epoch "))
        #expect(texts.contains { $0.contains("→ DATA manifest") && $0.contains("chunk 0, ") })
        #expect(texts.contains { $0.contains("← RESULT verified, detail 0x") })
        #expect(texts.last?.contains("→ CLOSE session 0x") == true)
        // Each chunk of the image is named by its whole index, in order.
        let indices = texts.filter { $0.contains("DATA image") }.compactMap { text in
            text.split(separator: "chunk ").last?.split(separator: ",").first.flatMap { Int($0) }
        }
        #expect(Array(Set(indices)).sorted() == Array(0..<Set(indices).count))
    }

    @Test("A transfer that is asked for begins with REQUEST")
    func pulled() async throws {
        let offer = RandomImage(seed: 41, byteCount: 3_000, name: "log")
        let (near, far) = LoopbackTransport.makePair(limits: TransportLimits(attMTU: 247))
        let lines = Mutex<[String]>([])
        let traced = TracingTransport(near) { record in
            lines.withLock { $0.append(record.line) }
        }
        async let served: Void = serve(
            over: far,
            into: MemoryStore(),
            offering: [offer.prepared]
        )
        _ = try await pull("log", over: traced, into: MemoryStore())
        near.close(.local)
        await served
        var describer = FrameDescriber()
        let texts = try lines.withLock { $0 }.map { line throws(TraceError) in
            try describer.describe(line: line)!
        }
        #expect(texts.filter { $0.hasPrefix("?") } == [])
        #expect(texts[0].contains("→ REQUEST session 0x"))
        #expect(texts[1].contains("← OPEN session 0x"))
    }

    /// With three EATT channels a repeated chunk of the manifest came after the image had begun.
    @Test("What comes late, of the epoch before, is described, and changes nothing")
    func late() async throws {
        let lines = try await trace(byteCount: 30_000, attMTU: 247)
        var describer = FrameDescriber()
        let texts = try lines.compactMap { line throws(TraceError) in
            try describer.describe(line: line)
        }
        let manifest = try #require(texts.firstIndex { $0.contains("DATA manifest") })
        let account = try #require(texts.firstIndex { $0.contains("ACK manifest") })
        let image = try #require(texts.firstIndex { $0.contains("DATA image") })
        var lateDescriber = FrameDescriber()
        for line in lines[...image] { _ = try lateDescriber.describe(line: line) }
        for position in [account, manifest, manifest] {
            #expect(try lateDescriber.describe(line: lines[position]) == texts[position])
        }
        for position in lines.indices.dropFirst(image + 1) {
            #expect(try lateDescriber.describe(line: lines[position]) == texts[position])
        }
    }

    @Test("A frame that lost a bit is marked, whatever bit")
    func damage() async throws {
        let lines = try await trace(byteCount: 300, attMTU: 247)
        for (position, line) in lines.enumerated() {
            let record = try TraceRecord(line: line)
            for bit in stride(from: 0, to: record.bytes.count * 8, by: 61) {
                var describer = FrameDescriber()
                for earlier in lines[..<position] { _ = try describer.describe(line: earlier) }
                var bytes = record.bytes
                bytes[bit / 8] ^= 1 << UInt8(bit % 8)
                let text = describer.describe(bytes, on: record.channel)
                #expect(text.hasPrefix("?") || text.contains("unknown"), "\(text)")
            }
        }
    }

    @Test("Comments and empty lines are passed over, and other text is named")
    func lines() throws {
        var describer = FrameDescriber()
        #expect(try describer.describe(line: "") == nil)
        #expect(try describer.describe(line: "  # a comment") == nil)
        #expect(throws: TraceError.hexDigitCount(3)) { try describer.describe(line: "abc") }
        #expect(throws: TraceError.fieldCount(2)) { try describer.describe(line: "12 out") }
        #expect(try describer.describe(line: "ff")?.hasPrefix("?") == true)
    }

    @Test("Without a session, frames of a receiver say which session they would fit")
    func withoutSession() throws {
        let frame = ReceiverControl.result(.init(reason: .busy))
        let bytes = frame.bytes(session: SessionNumber(0x1234))
        var blind = FrameDescriber()
        #expect(blind.describe(bytes, on: .control).contains("RESULT busy"))
        var told = FrameDescriber(session: SessionNumber(0x1234))
        #expect(told.describe(bytes, on: nil) == "RESULT busy, detail 0x0")
        var misled = FrameDescriber(session: SessionNumber(0x1235))
        #expect(misled.describe(bytes, on: .control).hasPrefix("? from another session"))
    }

    private func trace(byteCount: Int, attMTU: Int) async throws -> [String] {
        let image = RandomImage(seed: 42, byteCount: byteCount)
        let (near, far) = LoopbackTransport.makePair(limits: TransportLimits(attMTU: attMTU))
        let lines = Mutex<[String]>([])
        let traced = TracingTransport(near) { record in
            lines.withLock { $0.append(record.line) }
        }
        _ = try await pushing(image.prepared, over: (traced, far), into: MemoryStore())
        return lines.withLock { $0 }
    }
}
