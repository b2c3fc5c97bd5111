import BLEOTACore
import BLEOTAManifest
import BLEOTATestSupport
import BLEOTAWire
import Testing

@testable import BLEOTA

/// When an encoded image is refused because most of it is there (spec/bleota.md, section 4.5).
@Suite("Sketches")
struct SketchTests {
    /// In blocks of 4 KiB, the last of one byte.
    private func image(blockCount: Int) -> [UInt8] {
        var random = TestSeed(30)
        return random.bytes((blockCount - 1) * 4_096 + 1).map { $0 & 3 }
    }

    private func variants(
        of bytes: [UInt8],
        _ change: (inout VariantOptions) -> Void = { _ in }
    ) throws -> [Manifest] {
        var variants = VariantOptions()
        change(&variants)
        let prepared = try Firmware(
            FirmwareFile(bytes: bytes, name: "lamp.bin"),
            version: nil,
            restrictions: ImageRestrictions(),
            variants: variants
        )
        return prepared.variants.map(\.manifest)
    }

    private func sketch(of manifest: Manifest) -> ManifestSketch? {
        manifest.fields.sketch(in: manifest.bytes.span.bytes)
    }

    //= ENC-5
    @Test(
        "What is compressed has a sketch, of 63 blocks or all of them",
        arguments: [2, 62, 63, 64, 128, 1_000]
    )
    func made(blockCount: Int) throws {
        let variants = try variants(of: image(blockCount: blockCount))
        let found = sketch(of: variants[0])
        let sketch = try #require(found)
        #expect(sketch.count == min(blockCount, 63))
        #expect(sketch.blockIndex(ofHash: 0) == 0)
        let places = (0..<sketch.count).map { sketch.blockIndex(ofHash: $0) }
        #expect(zip(places, places.dropFirst()).allSatisfy { $0 < $1 })
        #expect(places.last! < blockCount)
        // The plain form has the same hashes in full.
        for (entry, place) in places.enumerated() {
            let start = sketch.hashes.lowerBound + 4 * entry
            #expect(variants[0].bytes[start..<start + 4] == variants[1].blockHash(place).prefix(4))
        }
        #expect(self.sketch(of: variants[1]) == nil)
    }

    //= ENC-5
    @Test("What is sealed, and what goes as it is, has none")
    func none() throws {
        let bytes = image(blockCount: 10)
        let sealed = try variants(of: bytes) {
            $0.recipients = [UnsealingKey.generate().sealingKey]
        }
        let plain = try variants(of: bytes) { $0.isCompressed = false }
        for manifest in sealed + plain {
            let value = manifest.fields.value(of: .sketch, in: manifest.bytes.span.bytes)
            #expect(value == nil)
        }
    }

    //= ENC-6
    @Test("It is refused as soon as what is missing is less than half of what is encoded")
    func threshold() throws {
        let bytes = image(blockCount: 63)
        let variants = try variants(of: bytes)
        let all = variants[1].hashes.blocks
        for missingCount in 0...63 {
            let held = Array(all.dropFirst(16 * missingCount))
            let refusal = ImageSketch.refusal(of: variants[0]) { held }
            let isLess = 2 * missingCount * bytes.count < 63 * variants[0].imageByteCount
            #expect((refusal == ManifestRefusal(.mostlyHeld)) == isLess, "\(missingCount)")
        }
        #expect(ImageSketch.refusal(of: variants[0]) { [] } == nil)
        #expect(ImageSketch.refusal(of: variants[1]) { all } == nil)
    }

    //= ENC-7
    @Test("A sketch of more blocks than there are says nothing")
    func tooMany() throws {
        let bytes = image(blockCount: 2)
        let two = try variants(of: bytes)[0]
        let all = try variants(of: bytes)[1].hashes.blocks
        #expect(ImageSketch.refusal(of: two) { all } != nil)
        // Three entries for two blocks: the length of the attribute, and four bytes more.
        let found = two.fields.value(of: .sketch, in: two.bytes.span.bytes)
        let value = try #require(found)
        var longer = two.bytes
        longer[value.lowerBound - 1] += 4
        longer.insert(contentsOf: [1, 2, 3, 4], at: value.upperBound)
        longer[ManifestLayout.attributeByteCount] += 4
        let three = try Manifest(bytes: longer)
        #expect(sketch(of: three) == nil)
        #expect(ImageSketch.refusal(of: three) { all } == nil)
    }
}
