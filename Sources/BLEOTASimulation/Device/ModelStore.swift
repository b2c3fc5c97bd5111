import BLEOTACore

/// A store in memory, with the rules of a real one: a block is checked before it is written, what
/// is not synced may be gone after a power cut, and an image becomes current in one step.
final class ModelStore {
    private struct Object {
        var bytes: [UInt8]
        var isWritten: [Bool]
        var isDurable: [Bool]
        let blockByteCount: Int

        init(byteCount: Int, blockByteCount: Int) {
            bytes = [UInt8](repeating: 0, count: byteCount)
            let blockCount = ObjectPlan.blockCount(UInt32(byteCount), blockByteCount)
            isWritten = [Bool](repeating: false, count: blockCount)
            isDurable = isWritten
            self.blockByteCount = blockByteCount
        }

        func range(ofBlock block: Int) -> Range<Int> {
            block * blockByteCount..<min((block + 1) * blockByteCount, bytes.count)
        }

        var durableByteCount: UInt32 {
            let end = isDurable.firstIndex(of: false) ?? isDurable.count
            return UInt32(min(end * blockByteCount, bytes.count))
        }

        mutating func sync() { isDurable = isWritten }

        mutating func loseUnsynced() {
            for block in isWritten.indices where isWritten[block] && !isDurable[block] {
                isWritten[block] = false
                for offset in range(ofBlock: block) { bytes[offset] = 0xEE }
            }
        }
    }

    private let model: StoreModel
    private var tag: TransferTag?
    private var manifest: Object?
    private var fields: ModelTransfer.Fields?
    private var image: Object?
    private var currentTag: TransferTag?
    private var writtenSinceSync = 0
    private var isSyncWanted = false
    private var random: SimulationRandom
    /// The memory of the held map that the receiver works in, and of earlier ones.
    private var maps: [GuardedMemory<UInt64>] = []
    /// The image that is current.
    private(set) var current: [UInt8]?
    private(set) var publications = 0

    init(_ model: StoreModel, seed: UInt64) {
        self.model = model
        random = SimulationRandom(seed: seed)
    }

    var areMapsIntact: Bool { maps.allSatisfy(\.isIntact) }

    /// How long a task takes.
    func duration(of task: StorageTask) -> Microseconds {
        switch task {
        case .lookUp: model.lookUp
        case .write: model.write
        case .judge: model.judge
        case .publish: model.publish
        case .release: .zero
        }
    }

    /// Does a task; `nil` for those that have no answer.
    func perform(_ task: StorageTask, bytes: [UInt8], isHealed: Bool) -> StorageAnswer? {
        switch task {
        case .lookUp(let tag, let manifestByteCount):
            lookUp(tag, Int(manifestByteCount), isHealed: isHealed)
        case .write(let object, let block): write(bytes, object, block, isHealed: isHealed)
        case .judge: judge(isHealed: isHealed)
        case .publish: publish(isHealed: isHealed)
        case .release(let isDiscarding): release(isDiscarding)
        }
    }

    /// Puts blocks of an earlier attempt into the store.
    func preload(_ transfer: ModelTransfer) {
        guard model.heldPerMille > 0 else { return }
        tag = transfer.offer.tag
        var manifest = Object(
            byteCount: transfer.manifest.count,
            blockByteCount: ObjectPlan.manifestBlockByteCount
        )
        manifest.bytes = transfer.manifest
        manifest.isWritten = manifest.isWritten.map { _ in true }
        manifest.sync()
        self.manifest = manifest
        fields = ModelTransfer.Fields(transfer.manifest)
        var image = Object(
            byteCount: transfer.image.count,
            blockByteCount: transfer.blockByteCount
        )
        for block in image.isWritten.indices where random.int(1...1_000) <= model.heldPerMille {
            image.isWritten[block] = true
            image.bytes.replaceSubrange(
                image.range(ofBlock: block),
                with: transfer.image[image.range(ofBlock: block)]
            )
        }
        image.sync()
        self.image = image
    }

    /// Whether these bytes of an object are stored.
    func holds(_ range: Range<Int>, of id: ObjectID) -> Bool {
        guard let object = id == .manifest ? manifest : image else { return false }
        let first = range.lowerBound / object.blockByteCount
        let last = (range.upperBound - 1) / object.blockByteCount
        return object.isWritten[first...last].allSatisfy { $0 }
    }

    /// Whether a sync is due, which then takes ``StoreModel/sync``.
    func takeSyncWanted() -> Microseconds? {
        guard isSyncWanted else { return nil }
        isSyncWanted = false
        return model.sync
    }

    /// Makes durable what is written, and says how far that reaches.
    func sync(_ object: ObjectID) -> StorageAnswer {
        if object == .manifest {
            manifest?.sync()
            return .durable(byteCount: manifest?.durableByteCount ?? 0)
        }
        image?.sync()
        return .durable(byteCount: image?.durableByteCount ?? 0)
    }

    /// The power is cut: of what is not synced, all stays or none.
    func losePower() {
        if !model.keepsUnsynced {
            manifest?.loseUnsynced()
            image?.loseUnsynced()
        }
        sync()
    }

    private func sync() {
        manifest?.sync()
        image?.sync()
        writtenSinceSync = 0
        isSyncWanted = false
    }

    // MARK: - Tasks

    private func lookUp(
        _ tag: TransferTag,
        _ manifestByteCount: Int,
        isHealed: Bool
    ) -> StorageAnswer {
        sync()
        if tag == currentTag, let current {
            return .alreadyCurrent(receipt: ModelTransfer.hash(current[...]))
        }
        if tag != self.tag || manifest?.bytes.count != manifestByteCount {
            self.tag = tag
            fields = nil
            image = nil
            manifest = nil
        }
        if let fields { return .planned(imagePlan(fields)) }
        if !model.keepsPartialManifest { manifest = nil }
        return .planned(manifestPlan(manifestByteCount))
    }

    private func manifestPlan(_ byteCount: Int) -> ObjectPlan {
        if manifest == nil {
            manifest = Object(
                byteCount: byteCount,
                blockByteCount: ObjectPlan.manifestBlockByteCount
            )
        }
        return plan(.manifest, manifest!)
    }

    private func imagePlan(_ fields: ModelTransfer.Fields) -> ObjectPlan {
        if image == nil {
            image = Object(
                byteCount: fields.imageByteCount,
                blockByteCount: fields.blockByteCount
            )
        }
        return plan(.image, image!)
    }

    private func plan(_ id: ObjectID, _ object: Object) -> ObjectPlan {
        let blockCount = object.isDurable.count
        let memory = GuardedMemory<UInt64>(
            count: BlockMap.wordCount(forBlockCount: blockCount),
            filledWith: .max
        )
        maps.append(memory)
        let map = BlockMap(blockCount: blockCount, in: memory.elements)
        for block in 0..<blockCount where object.isDurable[block] { map[block] = true }
        return ObjectPlan(
            object: id,
            byteCount: UInt32(object.bytes.count),
            blockByteCount: object.blockByteCount,
            held: map
        )
    }

    private func write(
        _ bytes: [UInt8],
        _ object: ObjectID,
        _ block: Int,
        isHealed: Bool
    ) -> StorageAnswer {
        var bytes = bytes
        if !isHealed, random.chance(model.memoryFault) {
            bytes[random.int(0...bytes.count - 1)] ^= UInt8(random.int(1...255))
        }
        if object == .manifest {
            precondition(manifest!.range(ofBlock: block).count == bytes.count)
            manifest!.bytes.replaceSubrange(manifest!.range(ofBlock: block), with: bytes)
            manifest!.isWritten[block] = true
        } else {
            precondition(image!.range(ofBlock: block).count == bytes.count)
            guard ModelTransfer.hash(bytes[...]) == fields!.hash(ofBlock: block) else {
                return .rejected(block: block)
            }
            image!.bytes.replaceSubrange(image!.range(ofBlock: block), with: bytes)
            image!.isWritten[block] = true
        }
        writtenSinceSync += 1
        if writtenSinceSync >= model.blocksPerSync {
            writtenSinceSync = 0
            isSyncWanted = true
        }
        return .stored(block: block)
    }

    private func judge(isHealed: Bool) -> StorageAnswer {
        guard ModelTransfer.hash(manifest!.bytes[...]) == tag?.rawValue else {
            let byteCount = manifest!.bytes.count
            manifest = nil
            return .manifestMismatch(manifestPlan(byteCount))
        }
        manifest!.sync()
        let fields = ModelTransfer.Fields(manifest!.bytes)
        self.fields = fields
        return .planned(imagePlan(fields))
    }

    private func publish(isHealed: Bool) -> StorageAnswer {
        image!.sync()
        if !isHealed, random.chance(model.storageFault) {
            image!.bytes[random.int(0...image!.bytes.count - 1)] ^= 0x10
        }
        guard ModelTransfer.hash(image!.bytes[...]) == fields!.imageHash else {
            for block in image!.isWritten.indices
            where ModelTransfer.hash(image!.bytes[image!.range(ofBlock: block)])
                != fields!.hash(ofBlock: block)
            {
                image!.isWritten[block] = false
            }
            image!.sync()
            return .lookUpAgain
        }
        current = image!.bytes
        currentTag = tag
        publications += 1
        tag = nil
        manifest = nil
        image = nil
        fields = nil
        return .published(receipt: ModelTransfer.hash(current![...]))
    }

    private func release(_ isDiscarding: Bool) -> StorageAnswer? {
        sync()
        if isDiscarding {
            tag = nil
            manifest = nil
            image = nil
            fields = nil
        }
        return nil
    }
}
