import BLEOTADevice
import BLEOTAManifest
import BLEOTASimulation
import BLEOTATestSupport
import Crypto

/// An image with its manifest, as a sender has them.
struct TestImage {
    /// What a manifest says besides the image.
    struct Extras {
        /// In ascending order of type.
        var attributes: [(type: ManifestAttributeType, value: [UInt8])] = []
        /// Who signs it, in ascending order of key id.
        var signers: [TestKey] = []
    }

    let bytes: [UInt8]
    let blockByteCount: Int
    var manifest: [UInt8]

    init(_ bytes: [UInt8], blockByteCount: Int = 4_096, _ extras: Extras = Extras()) {
        self.bytes = bytes
        self.blockByteCount = blockByteCount
        var manifest = Array("BLM1".utf8) + [1, UInt8(blockByteCount.trailingZeroBitCount), 0, 0]
        manifest.append(UInt32(bytes.count))
        let attributes = extras.attributes.flatMap { attribute in
            [attribute.type.rawValue, UInt8(attribute.value.count)] + attribute.value
        }
        manifest.append(UInt16(attributes.count))
        manifest += [0, 0]
        manifest += Crypto.SHA256.hash(data: bytes)
        manifest += attributes
        for start in stride(from: 0, to: bytes.count, by: blockByteCount) {
            let block = bytes[start..<min(start + blockByteCount, bytes.count)]
            manifest += Crypto.SHA256.hash(data: block).prefix(16)
        }
        let message = Array("bleota manifest1".utf8) + Crypto.SHA256.hash(data: manifest)
        let signatures = extras.signers.flatMap { $0.signature(of: message) }
        manifest.append(UInt16(signatures.count))
        self.manifest = manifest + signatures
    }

    /// Bytes that a seed gives.
    init(
        byteCount: Int,
        seed: UInt64 = 7,
        blockByteCount: Int = 4_096,
        _ extras: Extras = Extras()
    ) {
        var random = TestSeed(seed)
        self.init(random.bytes(byteCount), blockByteCount: blockByteCount, extras)
    }

    var sha256: [UInt8] { Array(Crypto.SHA256.hash(data: bytes)) }
    var digestPrefix: UInt64 { Self.number(sha256) }
    var tag: TransferTag {
        TransferTag(rawValue: Self.number(Array(Crypto.SHA256.hash(data: manifest))))
    }

    var transfer: TransferDescription {
        TransferDescription(
            tag: tag,
            manifestByteCount: UInt32(manifest.count),
            imageByteCount: UInt32(bytes.count),
            digestPrefix: digestPrefix
        )
    }

    /// OPEN of a session for it.
    func open(_ session: UInt16) -> [UInt8] {
        let open = SenderControl.Open(
            session: SessionNumber(session),
            chunkSize: ChunkSize(fittingFrameOf: 244),
            manifestByteCount: transfer.manifestByteCount,
            tag: tag
        )
        return FrameBytes.of(.open(open))
    }

    private static func number(_ digest: [UInt8]) -> UInt64 {
        digest.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension [UInt8] {
    mutating func append(_ number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}
