import BLEOTACore

/// The image to send, and a manifest in the layout of the protocol. The hashes are simplified;
/// the model's stores support no other hashes.
struct InMemoryTransfer {
    static let manifestHeadByteCount = 48
    static let blockHashByteCount = 16

    let image: [UInt8]
    let manifest: [UInt8]
    let blockByteCount: Int

    init(image: [UInt8], blockByteCount: Int) {
        precondition(!image.isEmpty)
        self.image = image
        self.blockByteCount = blockByteCount
        var manifest: [UInt8] = []
        let blockCount = ObjectPlan.blockCount(UInt32(image.count), blockByteCount)
        manifest.reserveCapacity(50 + 16 * blockCount)
        manifest.append(contentsOf: [0x42, 0x4C, 0x4D, 0x31])
        Self.append(UInt64(blockByteCount), 4, to: &manifest)
        Self.append(UInt64(image.count), 8, to: &manifest)
        Self.append(Self.hash(image[...]), 8, to: &manifest)
        manifest.append(contentsOf: [UInt8](repeating: 0, count: 24))
        for block in 0..<blockCount {
            let start = block * blockByteCount
            let end = min(start + blockByteCount, image.count)
            Self.append(Self.hash(image[start..<end]), 8, to: &manifest)
            Self.append(UInt64(block), 8, to: &manifest)
        }
        manifest.append(contentsOf: [0, 0])
        self.manifest = manifest
    }

    var description: TransferDescription {
        TransferDescription(
            tag: TransferTag(rawValue: Self.hash(manifest[...])),
            manifestByteCount: UInt32(manifest.count),
            imageByteCount: UInt32(image.count),
            digestPrefix: Self.hash(image[...])
        )
    }

    func bytes(of object: ObjectID) -> [UInt8] { object == .manifest ? manifest : image }

    /// The fields that a store reads from a manifest.
    struct Fields {
        let blockByteCount: Int
        let imageByteCount: Int
        let imageHash: UInt64
        private let manifest: [UInt8]

        init(_ manifest: [UInt8]) {
            self.manifest = manifest
            blockByteCount = Int(number(in: manifest, at: 4, 4))
            imageByteCount = Int(number(in: manifest, at: 8, 8))
            imageHash = number(in: manifest, at: 16, 8)
        }

        var blockCount: Int { ObjectPlan.blockCount(UInt32(imageByteCount), blockByteCount) }

        func hash(ofBlock block: Int) -> UInt64 {
            number(in: manifest, at: manifestHeadByteCount + block * blockHashByteCount, 8)
        }
    }

    /// A 64-bit hash, which detects accidental errors; the model has no attackers.
    static func hash(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.withUnsafeBytes { bytes in
            var hash = 0x243F_6A88_85A3_08D3 ^ UInt64(bytes.count)
            var offset = 0
            while offset + 8 <= bytes.count {
                mix(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self), into: &hash)
                offset += 8
            }
            while offset < bytes.count {
                mix(UInt64(bytes[offset]), into: &hash)
                offset += 1
            }
            return hash ^ (hash >> 29)
        }
    }

    private static func mix(_ word: UInt64, into hash: inout UInt64) {
        hash = (hash ^ word) &* 0x9FB2_1C65_1E98_DF25
        hash ^= hash >> 32
    }

    private static func append(_ number: UInt64, _ byteCount: Int, to bytes: inout [UInt8]) {
        for index in 0..<byteCount {
            bytes.append(UInt8(truncatingIfNeeded: number &>> UInt64(8 * index)))
        }
    }

    private static func number(in bytes: [UInt8], at offset: Int, _ byteCount: Int) -> UInt64 {
        var number: UInt64 = 0
        for index in 0..<byteCount { number |= UInt64(bytes[offset + index]) &<< UInt64(8 * index) }
        return number
    }
}
