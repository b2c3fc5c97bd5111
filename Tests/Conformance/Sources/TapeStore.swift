import BLEOTADevice
import BLEOTAHost
import BLEOTAManifest

/// The store of a device: two objects in memory, blocks of the image that are held, and what was
/// judged. It keeps all that from one session to the next.
struct TapeStore {
    private let memory: TapeMemory
    private let freeByteCount: UInt32
    /// Found once, at the first look.
    private var damagedBlock: UInt8?
    private var tag = TransferTag(rawValue: 0)
    private var manifestByteCount: UInt32 = 0
    private var fields: ManifestFields?
    /// A bit for each block of the image.
    private var heldBlocks: UInt64 = 0

    init(memory: TapeMemory, _ setup: TapeSetup) {
        self.memory = memory
        freeByteCount = setup.freeByteCount
        damagedBlock = setup.damagedBlock == .max ? nil : setup.damagedBlock
    }

    /// The image, as much of it as a manifest was accepted of.
    var image: UnsafeRawBufferPointer {
        bytes(memory.image, isPublished ? Int(fields?.imageByteCount ?? 0) : 0)
    }

    private var isPublished = false

    mutating func lookUp(_ tag: TransferTag, manifestByteCount: UInt32) -> StorageAnswer {
        if fields != nil, tag == self.tag { return .planned(imagePlan) }
        self.tag = tag
        self.manifestByteCount = manifestByteCount
        fields = nil
        heldBlocks = 0
        return .planned(plan(.manifest, manifestByteCount, ObjectPlan.manifestBlockByteCount))
    }

    mutating func write(_ object: ObjectID, block: Int, _ content: RawSpan) -> StorageAnswer {
        guard object == .image, let fields else {
            memory.manifest.copy(content, to: block * ObjectPlan.manifestBlockByteCount)
            return .stored(block: block)
        }
        let digest = SHA256.hash(content)
        let stated = manifest.bytes.extracting(fields.hash(ofBlock: block))
        guard digest.span.bytes.extracting(first: 16).isEqual(to: stated) else {
            return .rejected(block: block)
        }
        memory.image.copy(content, to: block * fields.blockByteCount)
        heldBlocks |= 1 << UInt64(block)
        return .stored(block: block)
    }

    mutating func judge() -> StorageAnswer {
        let digest = SHA256.hash(manifest.bytes)
        guard digest.span.bytes.littleEndianNumber == tag.rawValue else {
            return .manifestMismatch(
                plan(.manifest, manifestByteCount, ObjectPlan.manifestBlockByteCount)
            )
        }
        guard let fields = try? ManifestFields(parsing: manifest.bytes) else {
            return .refused(.malformedManifest, detail: 0)
        }
        if let refusal = fields.refusal(in: manifest.bytes, by: DeviceModel.bare) {
            return .refused(refusal.reason, detail: refusal.detail)
        }
        guard fields.imageByteCount <= freeByteCount else {
            return .refused(.noSpace, detail: UInt64(freeByteCount))
        }
        self.fields = fields
        return .planned(imagePlan)
    }

    mutating func publish() -> StorageAnswer {
        guard let fields else { return .refused(.storeFailed, detail: 0) }
        if let block = damagedBlock {
            damagedBlock = nil
            heldBlocks &= ~(1 << UInt64(block))
            return .lookUpAgain
        }
        let digest = SHA256.hash(bytes(memory.image, Int(fields.imageByteCount)).bytes)
        guard digest.span.bytes.isEqual(to: manifest.bytes.extracting(fields.sha256)) else {
            return .refused(.imageMismatch, detail: 0)
        }
        isPublished = true
        return .published(digestPrefix: digest.span.bytes.littleEndianNumber)
    }

    /// How long the beginning of the image is that is held.
    var durableByteCount: UInt32 {
        guard let fields else { return 0 }
        let blockCount = (~heldBlocks).trailingZeroBitCount
        return UInt32(min(blockCount * fields.blockByteCount, Int(fields.imageByteCount)))
    }

    private var manifest: UnsafeRawBufferPointer { bytes(memory.manifest, Int(manifestByteCount)) }

    private func bytes(
        _ memory: UnsafeMutableRawBufferPointer,
        _ byteCount: Int
    ) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: memory[..<byteCount])
    }

    private var imagePlan: ObjectPlan {
        guard let fields else { preconditionFailure("no manifest was accepted") }
        return plan(.image, fields.imageByteCount, fields.blockByteCount)
    }

    private func plan(
        _ object: ObjectID,
        _ byteCount: UInt32,
        _ blockByteCount: Int
    ) -> ObjectPlan {
        let map = BlockMap(
            blockCount: ObjectPlan.blockCount(byteCount, blockByteCount),
            in: memory.map
        )
        if object == .image {
            for block in 0..<map.blockCount { map[block] = heldBlocks >> UInt64(block) & 1 == 1 }
        }
        return ObjectPlan(
            object: object,
            byteCount: byteCount,
            blockByteCount: blockByteCount,
            held: map
        )
    }
}
