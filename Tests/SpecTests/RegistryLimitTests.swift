import BLEOTACore
import BLEOTAManifest
import BLEOTATestSupport
import BLEOTAWire
import Testing

/// The limits in spec/registry.md are those of the code where it shows them, and those of the
/// requirements that state them, whose quotes in the code are held by the requirement tests.
@Suite("Limits in the registry")
struct RegistryLimitTests {
    /// The number or numbers of each limit as the code has it.
    private static let inCode: [String: String] = [
        "control frame, without bitmap or piece": "\(longestFixedFrame) bytes",
        "bitmap": "\(ReceivedBitmap.bitCount / 8) bytes",
        "chunk": "\(chunkSizes.first!.byteCount) to \(chunkSizes.last!.byteCount) bytes",
        "manifest": "\(grouped(SenderControl.Open.manifestByteCounts.upperBound)) bytes",
        "manifest attributes": "\(grouped(ManifestLayout.attributeByteCountMax)) bytes",
        "manifest signatures": "\(grouped(ManifestLayout.signatureByteCountMax)) bytes",
        "block":
            "\(1 << blockSizes.lowerBound) to \(grouped(1 << Int(blockSizes.upperBound))) bytes",
        "image": "\(grouped(UInt32.max)) bytes",
        "credit": "\(grouped(Credit.chunkCountMax)) chunks",
        "silence of a receiver, as the sender sees it": seconds(SenderOptions().silenceLimit),
        "silence of a sender, as the receiver sees it": seconds(ReceiverOptions().silenceLimit),
        "no progress": seconds(SenderOptions().progressLimit)
            + ", with BUSY \(seconds(SenderOptions().busyLimit))",
        "RESULT kept": seconds(ReceiverOptions().resultLimit),
        "recipients of a seal": "\(ManifestLayout.sealRecipientCountMax)",
        "piece of a signed receipt": "\(ReceiptPiece.byteCountMax) bytes",
        "signed receipt": "\(ReceiptLayout.byteCountMax) bytes",
    ]

    /// The requirements that state a limit, and how they word it.
    private static let inSpecification: [String: (tag: String, words: [String])] = [
        "manifest failures": ("OBJ-2", ["after 3 such failures"]),
        "rejections without an accepted block": ("OBJ-5", ["after 8 "]),
        "acknowledgement delay": ("ACK-5", ["within 250 milliseconds"]),
        "probe timeout": ("REPAIR-3", ["at most 5 seconds"]),
        "zero-credit poll pause": ("CREDIT-2", ["up to 2 seconds"]),
        "silence of a receiver, as the sender sees it": ("TIME-1", ["for 10 seconds"]),
        "silence of a sender, as the receiver sees it": ("TIME-3", ["for 30 seconds"]),
        "no progress": ("TIME-2", ["for 60 seconds", "600 seconds"]),
        "BUSY repeats": ("END-7", ["every second"]),
        "RESULT kept": ("END-2", ["10 seconds"]),
    ]

    @Test("Every limit is held by the code or by a requirement, and no other is")
    func everyLimitIsHeld() throws {
        let held = Set(Self.inCode.keys).union(Self.inSpecification.keys)
        #expect(Set(try limits().map(\.name)) == held)
    }

    @Test("The limits are those of the code")
    func limitsInCode() throws {
        for limit in try limits() {
            guard let value = Self.inCode[limit.name] else { continue }
            #expect(limit.value == value, "\(limit.name)")
        }
        #expect(
            UInt32(ManifestLayout.byteCountMax) == SenderControl.Open.manifestByteCounts.upperBound
        )
        #expect(
            UInt32(ManifestLayout.byteCountMin) == SenderControl.Open.manifestByteCounts.lowerBound
        )
    }

    @Test("The limits are those of the requirements")
    func limitsInSpecification() throws {
        let specification = try Specification()
        for limit in try limits() {
            guard let (name, words) = Self.inSpecification[limit.name] else { continue }
            let tag = try #require(RequirementTag(name))
            let requirement = try #require(specification.requirement(tag), "\(tag)")
            for phrase in words {
                #expect(requirement.text.contains(phrase), "\(limit.name): \(requirement.text)")
                // A limit of one second is worded without its number.
                let number = phrase.filter(\.isNumber)
                #expect(limit.value.contains(number.isEmpty ? "1" : number), "\(limit.name)")
            }
        }
    }

    @Test("Every limit names a section that exists")
    func sections() throws {
        let document = try Repository.text(of: "spec/bleota.md")
        for limit in try limits() {
            let isThere = document.split(separator: "\n").contains { line in
                line.hasPrefix("#") && line.contains(" \(limit.section)")
            }
            #expect(isThere, "\(limit.name): section \(limit.section)")
        }
    }

    private func limits() throws -> [(name: String, value: String, section: String)] {
        let registry = try Repository.text(of: "spec/registry.md")
        let table = try #require(MarkdownTable(below: "Limits", in: registry))
        return table.rows.map { ($0[0], $0[1], $0[2]) }
    }

    private static var longestFixedFrame: Int {
        let open = SenderControl.open(
            .init(
                session: SessionNumber(1),
                chunkSize: .smallest,
                manifestByteCount: 66,
                tag: TransferTag(rawValue: 0)
            )
        )
        var buffer = [UInt8](repeating: 0, count: 64)
        var elements = buffer.mutableSpan
        var output = elements.mutableBytes
        return open.encode(into: &output)
    }

    private static var chunkSizes: [ChunkSize] {
        (UInt8.min...UInt8.max).compactMap(ChunkSize.init(wordCount:))
    }

    private static var blockSizes: ClosedRange<UInt8> { ManifestLayout.blockSizeExponents }

    private static func seconds(_ time: Microseconds) -> String { "\(time.rawValue / 1_000_000) s" }

    /// The number with a comma between each three digits.
    private static func grouped(_ number: some BinaryInteger) -> String {
        let digits = Array("\(number)".reversed())
        let groups = stride(from: 0, to: digits.count, by: 3).map {
            String(digits[$0..<min($0 + 3, digits.count)])
        }
        return String(groups.joined(separator: ",").reversed())
    }
}
