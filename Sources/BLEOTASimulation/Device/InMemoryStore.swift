import BLEOTACore
import BLEOTAHost

/// A store in memory that follows the rules of a real one. Each block is checked before it is
/// written, unsynced data may be lost in a power cut, and an image becomes current in one step.
final class InMemoryStore: DeviceStore {
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

        /// Loses unsynced blocks in whole or in part. A block that is kept only in part does not
        /// count as written, because its mark is written last.
        ///
        /// - Parameter staying: returns how many bytes of a block of the given length are kept.
        mutating func losePower(staying: (_ byteCount: Int) -> Int) {
            for block in isWritten.indices where isWritten[block] && !isDurable[block] {
                let range = range(ofBlock: block)
                let stayingCount = staying(range.count)
                isWritten[block] = stayingCount == range.count
                for offset in range.dropFirst(stayingCount) { bytes[offset] = 0xEE }
            }
        }
    }

    private let model: StoreBehavior
    private var tag: TransferTag?
    private var manifest: Object?
    private var fields: InMemoryTransfer.Fields?
    private var image: Object?
    private var currentTag: TransferTag?
    private var writtenSinceSync = 0
    private var isSyncWanted = false
    private var random: SimulationRandom
    private let maps = HeldMaps()
    private var task: StorageTask?
    private var bytes: [UInt8] = []
    /// The current image.
    private(set) var current: [UInt8]?
    private(set) var publications = 0

    init(_ model: StoreBehavior, seed: UInt64) {
        self.model = model
        random = SimulationRandom(seed: seed)
    }

    var areMapsIntact: Bool { maps.areIntact }
    /// Always `nil`: a run begins without an image.
    var firstImage: [UInt8]? { nil }
    var isAutonomous: Bool { false }
    var flashOperation: (number: Int, operation: FlashModel.Operation)? { nil }

    /// Begins a task; each task is a single step.
    func begin(_ task: StorageTask?, bytes: [UInt8], isOld: Bool) -> Microseconds? {
        self.task = task
        self.bytes = bytes
        return task.map(duration)
    }

    func finishStep(isOld: Bool, isHealed: Bool) -> StoreProgress {
        guard let task else { preconditionFailure("no operation has begun") }
        self.task = nil
        // Tasks of an ended session are ignored, except for a release.
        if isOld, !task.isRelease { return .ended(nil) }
        return .ended(perform(task, bytes: bytes, isHealed: isHealed))
    }

    /// The duration of a task.
    private func duration(of task: StorageTask) -> Microseconds {
        switch task {
        case .lookUp: model.lookUp
        case .write: model.write
        case .judge: model.judge
        case .publish: model.publish
        case .release: .zero
        }
    }

    /// Performs a task; returns `nil` for a task without an answer.
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

    func preload(_ transfer: InMemoryTransfer) {
        guard model.heldPerMille > 0 else { return }
        tag = transfer.description.tag
        var manifest = Object(
            byteCount: transfer.manifest.count,
            blockByteCount: model.manifestBlockByteCount
        )
        manifest.bytes = transfer.manifest
        manifest.isWritten = manifest.isWritten.map { _ in true }
        manifest.sync()
        self.manifest = manifest
        fields = InMemoryTransfer.Fields(transfer.manifest)
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

    func holds(_ range: Range<Int>, of id: ObjectID) -> Bool {
        guard let object = id == .manifest ? manifest : image else { return false }
        let first = range.lowerBound / object.blockByteCount
        let last = (range.upperBound - 1) / object.blockByteCount
        return object.isWritten[first...last].allSatisfy { $0 }
    }

    func holdsNothing(butBlocksOf content: [UInt8]) -> Bool {
        guard let image else { return true }
        return image.isWritten.indices.allSatisfy { block in
            let range = image.range(ofBlock: block)
            return !image.isWritten[block] || image.bytes[range] == content[range]
        }
    }

    func takeSyncWanted() -> Microseconds? {
        guard isSyncWanted else { return nil }
        isSyncWanted = false
        return model.sync
    }

    func sync(_ object: ObjectID) -> StorageAnswer {
        if object == .manifest {
            manifest?.sync()
            return .durable(byteCount: manifest?.durableByteCount ?? 0)
        }
        image?.sync()
        return .durable(byteCount: image?.durableByteCount ?? 0)
    }

    func durableByteCount(of id: ObjectID) -> UInt32 {
        (id == .manifest ? manifest : image)?.durableByteCount ?? 0
    }

    /// Keeps all synced data. The task in progress has no effect.
    func losePower(after span: Microseconds?) {
        task = nil
        func staying(_ byteCount: Int) -> Int {
            switch model.unsynced {
            case .stays: byteCount
            case .goes: 0
            case .each: random.chance(0.5) ? byteCount : random.int(0...byteCount - 1)
            }
        }
        manifest?.losePower(staying: staying)
        image?.losePower(staying: staying)
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
            return .alreadyCurrent(digestPrefix: InMemoryTransfer.hash(current[...]))
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
                blockByteCount: model.manifestBlockByteCount
            )
        }
        return plan(.manifest, manifest!)
    }

    private func imagePlan(_ fields: InMemoryTransfer.Fields) -> ObjectPlan {
        if image == nil {
            image = Object(
                byteCount: fields.imageByteCount,
                blockByteCount: fields.blockByteCount
            )
        }
        return plan(.image, image!)
    }

    private func plan(_ id: ObjectID, _ object: Object) -> ObjectPlan {
        maps.plan(
            id,
            byteCount: object.bytes.count,
            blockByteCount: object.blockByteCount,
            isHeld: object.isDurable
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
            guard InMemoryTransfer.hash(bytes[...]) == fields!.hash(ofBlock: block) else {
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
        guard InMemoryTransfer.hash(manifest!.bytes[...]) == tag?.rawValue else {
            let byteCount = manifest!.bytes.count
            manifest = nil
            return .manifestMismatch(manifestPlan(byteCount))
        }
        manifest!.sync()
        let fields = InMemoryTransfer.Fields(manifest!.bytes)
        self.fields = fields
        return .planned(imagePlan(fields))
    }

    private func publish(isHealed: Bool) -> StorageAnswer {
        image!.sync()
        if !isHealed, random.chance(model.storageFault) {
            image!.bytes[random.int(0...image!.bytes.count - 1)] ^= 0x10
        }
        guard InMemoryTransfer.hash(image!.bytes[...]) == fields!.imageHash else {
            for block in image!.isWritten.indices
            where InMemoryTransfer.hash(image!.bytes[image!.range(ofBlock: block)])
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
        return .published(digestPrefix: InMemoryTransfer.hash(current![...]))
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

extension StorageTask {
    fileprivate var isRelease: Bool { if case .release = self { true } else { false } }
}
