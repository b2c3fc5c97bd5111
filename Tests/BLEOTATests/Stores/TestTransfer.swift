import BLEOTAManifest
import BLEOTAWire
import Crypto

@testable import BLEOTA

/// An image of random bytes with its manifest, and a driver that brings both into a store.
struct TestTransfer: Sendable {
    /// What is to be current.
    let image: [UInt8]
    let manifest: Manifest
    let imageBlocks: [[UInt8]]
    let manifestBlocks: [[UInt8]]

    /// - Parameters:
    ///   - seed: decides the bytes.
    ///   - blockCount: the last block is one byte short.
    ///   - hasLongManifest: whether attributes stretch the manifest to two blocks of its own.
    init(seed: UInt64, blockCount: Int = 6, blockByteCount: Int = 256, hasLongManifest: Bool = true)
    {
        var random = SeededRandom(seed: seed)
        let bytes = (0..<blockCount * blockByteCount - 1).map { _ in
            UInt8.random(in: 0...255, using: &random)
        }
        self.init(image: bytes, blockByteCount: blockByteCount, hasLongManifest: hasLongManifest)
    }

    init(image: [UInt8], blockByteCount: Int = 256, hasLongManifest: Bool = false) {
        self.image = image
        var made = Manifest.make(
            imageByteCount: image.count,
            blockByteCount: blockByteCount
        ) { offset, byteCount in Array(image[offset..<offset + byteCount]) }
        if hasLongManifest { made = Self.withLongAttributes(made) }
        manifest = made
        imageBlocks = Self.pieces(of: image, blockByteCount)
        manifestBlocks = Self.pieces(of: made.bytes, 4_096)
    }

    /// An image that travels compressed.
    init(deflating image: [UInt8], blockByteCount: Int) {
        // Without a limit it always becomes something.
        let deflated = Deflater.deflate(image, byteCountMax: .max)!
        self.init(image, travellingAs: deflated, .zlib, blockByteCount: blockByteCount)
    }

    /// An image that travels encoded, rightly or not.
    init(
        _ image: [UInt8],
        travellingAs encoded: [UInt8],
        _ compression: Compression,
        sha256: [UInt8]? = nil,
        base: [UInt8]? = nil,
        blockByteCount: Int = 256
    ) {
        self.image = image
        let statement = EncodingStatement(
            compression: compression,
            byteCount: image.count,
            sha256: sha256 ?? Array(SHA256.hash(data: image)),
            base: base.map { Array(SHA256.hash(data: $0)) }
        )
        manifest = Manifest.make(
            imageByteCount: encoded.count,
            blockByteCount: blockByteCount,
            name: nil,
            version: nil,
            loadAddress: nil,
            restrictions: ImageRestrictions(),
            encoding: statement
        ) { offset, byteCount in Array(encoded[offset..<offset + byteCount]) }
        imageBlocks = Self.pieces(of: encoded, blockByteCount)
        manifestBlocks = Self.pieces(of: manifest.bytes, 4_096)
    }

    /// Sixteen attributes of private types, 4,057 bytes together, which leaves the hashes of even
    /// one block in the manifest's second block.
    private static func withLongAttributes(_ manifest: Manifest) -> Manifest {
        var attributes: [UInt8] = []
        for type in UInt8(0x40)..<0x4F {
            attributes += [type, 255] + [UInt8](repeating: type, count: 255)
        }
        attributes += [0x4F, 200] + [UInt8](repeating: 0x4F, count: 200)
        var bytes = manifest.bytes
        bytes[ManifestLayout.attributeByteCount] = UInt8(attributes.count & 0xFF)
        bytes[ManifestLayout.attributeByteCount + 1] = UInt8(attributes.count >> 8)
        bytes.insert(contentsOf: attributes, at: ManifestLayout.attributes)
        // A wrong manifest here is a mistake of the test.
        return try! Manifest(bytes: bytes)
    }

    var tag: TransferTag { manifest.tag }

    private static func pieces(of bytes: [UInt8], _ byteCount: Int) -> [[UInt8]] {
        stride(from: 0, to: bytes.count, by: byteCount).map {
            Array(bytes[$0..<min($0 + byteCount, bytes.count)])
        }
    }

    /// Opens the transfer as a receiver would.
    func open(on store: any ImageStore) async throws(StoreError) -> ResumeState {
        try await store.open(tag, manifestByteCount: manifest.bytes.count)
    }

    /// Brings the manifest into a store that was just opened and holds nothing of it.
    func sendManifest(
        to store: any ImageStore,
        from first: Int = 0,
        _ progress: TransferProgress? = nil
    ) async throws(StoreError) {
        for (index, block) in manifestBlocks.enumerated().dropFirst(first) {
            try await store.write(block, object: .manifest, blockIndex: index)
            progress?.wroteManifest(index)
        }
        try await store.synchronize()
        progress?.synchronizedManifest()
    }

    /// Brings the manifest and the first blocks, makes them durable and stops, as a sender does
    /// that is cut short.
    func begin(
        blockCount: Int,
        on store: any ImageStore,
        preferring isTrusted: @Sendable (Manifest) -> Bool = { _ in false }
    ) async throws(StoreError) {
        _ = try await open(on: store)
        try await sendManifest(to: store)
        _ = try await store.acceptManifest(unless: { _ in nil }, preferring: isTrusted)
        for (index, block) in imageBlocks.prefix(blockCount).enumerated() {
            try await store.write(block, object: .image, blockIndex: index)
        }
        try await store.synchronize()
        await store.release()
    }

    /// Brings the whole transfer into a store, in as many sessions as it takes to call this.
    ///
    /// - Returns: what the store said it does not hold, and so was written.
    @discardableResult
    func run(
        on store: any ImageStore,
        _ progress: TransferProgress? = nil
    ) async throws(StoreError) -> (manifest: Set<Int>, image: Set<Int>, stored: StoredImage) {
        var asked = (manifest: Set<Int>(), image: Set<Int>())
        var held: [Bool]
        switch try await open(on: store) {
        case .current(let stored):
            progress?.published()
            return (asked.manifest, asked.image, stored)
        case .manifest(let blockCount):
            asked.manifest = Set(manifestBlocks.indices.dropFirst(blockCount))
            try await sendManifest(to: store, from: blockCount, progress)
            held = try await store.acceptManifest().held
        case .image(_, let heldBlocks): held = heldBlocks
        case .decoded: held = imageBlocks.map { _ in true }
        }
        for (index, block) in imageBlocks.enumerated() where !held[index] {
            asked.image.insert(index)
            try await store.write(block, object: .image, blockIndex: index)
            progress?.wroteImage(index)
            // Pairs, so that a block that is written and not durable is among the states.
            if index % 2 == 1 {
                try await store.synchronize()
                progress?.synchronizedImage()
            }
        }
        try await store.synchronize()
        progress?.synchronizedImage()
        let stored = try await store.publish()
        progress?.published()
        return (asked.manifest, asked.image, stored)
    }
}

/// SplitMix64.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
