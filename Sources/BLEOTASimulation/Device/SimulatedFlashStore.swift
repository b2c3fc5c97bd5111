import BLEOTACore
import BLEOTAHost

/// The store of a microcontroller: two slots for images in flash memory, one of which holds the
/// current image, a place for a manifest, and a log.
///
/// After a power cut, the store restores its state from the flash, and verifies everything it
/// finds there. A manifest must match the hash in the log, a block must match its hash in the
/// manifest, and a log record must match the hash that it contains. Therefore, the blocks need no
/// marks, which could also be torn. The cost is that all blocks must be read after a power cut.
final class SimulatedFlashStore: DeviceStore {
    /// A remaining step of a task.
    enum Step {
        case wait(Microseconds)
        case flash(FlashModel.Operation)
    }

    let model: StoreBehavior
    let settings: FlashSettings
    let maps = HeldMaps()
    /// The first page and the maximum length of the manifest, and the first pages of the two
    /// image slots.
    private let manifestPage: Int
    let manifestByteCountMax: Int
    private let imagePages: [Int]
    var random: SimulationRandom
    var flash: FlashModel

    // State that is lost in a power cut, and restored by mount().
    var tag: TransferTag?
    var manifest: FlashRegion?
    /// The fields of the manifest, once it is accepted.
    var fields: InMemoryTransfer.Fields?
    var image: FlashRegion?
    private var currentRecord: FlashLog.Record?
    /// The number of bytes that were hashed to find the held blocks; the next lookup takes
    /// correspondingly longer.
    var hashedByteCount = 0
    /// Whether a session is receiving the image, in which case more blocks are to be expected.
    var isReceivingImage = false

    /// The remaining steps of the task, and its continuation, which returns the answer or adds
    /// steps.
    var steps: [Step] = []
    var onward: ((_ isHealed: Bool) -> StorageAnswer?)?
    private var operationCount = 0
    private(set) var flashOperation: (number: Int, operation: FlashModel.Operation)?

    private(set) var current: [UInt8]?
    let firstImage: [UInt8]?

    /// Creates a store that holds an older image of the same length, and has room for the
    /// transfer.
    init(
        _ model: StoreBehavior,
        _ settings: FlashSettings,
        for transfer: InMemoryTransfer,
        seed: UInt64
    ) {
        self.model = model
        self.settings = settings
        random = SimulationRandom(seed: seed)
        manifestByteCountMax = transfer.manifest.count
        manifestPage = FlashLog.page + 1
        let first = manifestPage + settings.pageCount(of: transfer.manifest.count)
        let imagePageCount = settings.pageCount(of: transfer.image.count)
        imagePages = [first, first + imagePageCount]
        flash = FlashModel(settings, pageCount: first + 2 * imagePageCount, &random)
        let start = first * settings.pageByteCount
        let old = Array(flash[start..<start + transfer.image.count])
        firstImage = old
        doAtOnce(.erase(page: FlashLog.page))
        let tag = InMemoryTransfer.hash(old[...])
        note(.init(kind: .current, tag: tag, byteCount: UInt32(old.count)))
        mount()
    }

    var areMapsIntact: Bool { maps.areIntact }
    var isAutonomous: Bool { true }

    func preload(_ transfer: InMemoryTransfer) {
        guard model.heldPerMille > 0 else { return }
        let description = transfer.description
        note(
            .init(
                kind: .begun,
                tag: description.tag.rawValue,
                byteCount: description.manifestByteCount
            )
        )
        put(transfer.manifest, at: manifestRegion(transfer.manifest.count)) { _ in true }
        put(transfer.image, at: imageRegion(InMemoryTransfer.Fields(transfer.manifest))) { _ in
            random.int(1...1_000) <= model.heldPerMille
        }
        mount()
    }

    private func put(_ bytes: [UInt8], at place: FlashRegion, where isHeld: (Int) -> Bool) {
        var region = place
        for block in region.isHeld.indices where isHeld(block) {
            for page in region.pagesToErase(forBlock: block) {
                doAtOnce(.erase(page: page))
                region.erased(page)
            }
            let content = Array(bytes[region.range(ofBlock: block)])
            doAtOnce(.program(address: region.address(ofBlock: block), bytes: content))
            region.wrote(block)
        }
    }

    private func note(_ record: FlashLog.Record) { doAtOnce(FlashLog.adding(record, to: flash)) }

    private func doAtOnce(_ operation: FlashModel.Operation) {
        _ = flash.begin(operation)
        flash.finish()
    }

    func holds(_ range: Range<Int>, of id: ObjectID) -> Bool {
        guard let region = id == .manifest ? manifest : image else { return false }
        let first = range.lowerBound / region.blockByteCount
        let last = (range.upperBound - 1) / region.blockByteCount
        return region.isHeld[first...last].allSatisfy { $0 }
    }

    func holdsNothing(butBlocksOf content: [UInt8]) -> Bool {
        guard let image else { return true }
        return image.isHeld.indices.allSatisfy { block in
            !image.isHeld[block]
                || flash[image.addresses(ofBlock: block)] == content[image.range(ofBlock: block)]
        }
    }

    // MARK: - Durability

    /// Returns zero: everything written is durable immediately, so a synchronization is always due
    /// without delay.
    func takeSyncWanted() -> Microseconds? { .zero }

    func sync(_ object: ObjectID) -> StorageAnswer {
        .durable(byteCount: durableByteCount(of: object))
    }

    /// The number of durable bytes at the start of an object. No part of a manifest is durable
    /// before the whole manifest is accepted, because its blocks have no hashes.
    func durableByteCount(of id: ObjectID) -> UInt32 {
        if id == .manifest { return fields == nil ? 0 : UInt32(manifest?.byteCount ?? 0) }
        return UInt32(image?.durableByteCount ?? 0)
    }

    func losePower(after span: Microseconds?) {
        if let span { flash.losePower(after: span, &random) }
        flashOperation = nil
        steps = []
        onward = nil
        mount()
    }

    // MARK: - State of the flash

    /// Restores the state from the flash.
    func mount() {
        tag = nil
        manifest = nil
        fields = nil
        image = nil
        hashedByteCount = 0
        isReceivingImage = false
        currentRecord = FlashLog.last(.current, in: flash)
        current = currentRecord.map { record in
            let start = imagePages[Int(record.slot)] * settings.pageByteCount
            return Array(flash[start..<start + Int(record.byteCount)])
        }
        guard let begun = FlashLog.last(.begun, in: flash), begun.tag != currentTag else { return }
        tag = TransferTag(rawValue: begun.tag)
        mountManifest(byteCount: Int(begun.byteCount))
        if let fields { mountImage(fields) }
    }

    private func mountManifest(byteCount: Int) {
        var manifest = manifestRegion(byteCount)
        let bytes = flash[manifest.addresses]
        hashedByteCount += byteCount
        if InMemoryTransfer.hash(bytes) == tag?.rawValue {
            manifest.recover { _ in
                true
            } readsErased: { _ in
                true
            }
            fields = InMemoryTransfer.Fields(Array(bytes))
        }
        self.manifest = manifest
    }

    private func mountImage(_ fields: InMemoryTransfer.Fields) {
        var image = imageRegion(fields)
        let place = image
        hashedByteCount += image.byteCount
        image.recover { block in
            InMemoryTransfer.hash(flash[place.addresses(ofBlock: block)])
                == fields.hash(ofBlock: block)
        } readsErased: { addresses in
            flash.readsErased(addresses)
        }
        self.image = image
    }

    /// The tag of the current image; `nil` if there is none.
    var currentTag: UInt64? { currentRecord?.tag }

    func manifestRegion(_ byteCount: Int) -> FlashRegion {
        FlashRegion(
            firstPage: manifestPage,
            byteCount: byteCount,
            blockByteCount: model.manifestBlockByteCount,
            pageByteCount: settings.pageByteCount
        )
    }

    /// The region of an image in the slot without the current image.
    func imageRegion(_ fields: InMemoryTransfer.Fields) -> FlashRegion {
        FlashRegion(
            firstPage: imagePages[freeSlot],
            byteCount: fields.imageByteCount,
            blockByteCount: fields.blockByteCount,
            pageByteCount: settings.pageByteCount
        )
    }

    var freeSlot: Int { currentRecord?.slot == 0 ? 1 : 0 }

    // MARK: - Steps

    func begin(_ task: StorageTask?, bytes: [UInt8], isOld: Bool) -> Microseconds? {
        if let task {
            prepare(task, bytes: bytes, isOld: isOld)
            return beginStep()!
        }
        // An idle store erases a page that will be needed. Blocks for this page may arrive during
        // the erasure, but they could not be programmed before the end of the erasure anyway.
        guard isReceivingImage,
            let page = image?.pageToEraseAhead(by: settings.erasedAheadPageCount)
        else { return nil }
        steps = [.flash(.erase(page: page))]
        return beginStep()
    }

    func finishStep(isOld: Bool, isHealed: Bool) -> StoreProgress {
        if let (_, operation) = flashOperation {
            flash.finish()
            flashOperation = nil
            if case .erase(let page) = operation { erased(page) }
        }
        if let time = beginStep() { return .goesOn(time) }
        let conclude = onward
        onward = nil
        let answer = conclude?(isHealed)
        if let time = beginStep() { return .goesOn(time) }
        return .ended(answer)
    }

    private func beginStep() -> Microseconds? {
        guard !steps.isEmpty else { return nil }
        switch steps.removeFirst() {
        case .wait(let time): return time
        case .flash(let operation):
            flashOperation = (operationCount, operation)
            operationCount += 1
            return flash.begin(operation)
        }
    }

    private func erased(_ page: Int) {
        if page < imagePages[0] { manifest?.erased(page) } else { image?.erased(page) }
    }
}
