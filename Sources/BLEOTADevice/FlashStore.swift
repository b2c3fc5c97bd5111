import BLEOTACore

/// The store of a device: a slot for an image, a place for its manifest, and a record, in flash.
///
/// It needs no journal. A manifest is held if it has the hash by which OPEN names it, and a block
/// if it has its hash in the manifest: what a power cut tore has not. That costs a look at all
/// blocks when a transfer goes on, and no writes.
///
/// What a task needs is done in steps, each of which erases one page, or reads, hashes or programs
/// one block.
struct FlashStore: ~Copyable {
    /// What is under way.
    enum Work: UInt8 {
        case nothing
        /// Hashing the manifest in flash, to go on or to begin it.
        case lookingUp
        /// Hashing the manifest that arrived.
        case judging
        /// Looking which blocks of the image are there.
        case findingBlocks
        /// Erasing what a block needs, and programming it.
        case writing
        /// Hashing the image.
        case verifying
        /// Erasing blocks of a transfer that was taken back.
        case forgetting
    }

    private let pin = Pin()
    let layout: FlashLayout
    /// The receiver's block buffers, which nobody else uses while no object is received.
    let buffer: UnsafeMutableRawBufferPointer
    let heldWords: UnsafeMutableBufferPointer<UInt>
    let blockByteCountMax: Int

    var work = Work.nothing
    var tag = TransferTag(rawValue: 0)
    var manifestByteCount: UInt32 = 0
    var imageByteCount: UInt32 = 0
    var blockByteCount = 0
    var hashesAddress: UInt32 = 0
    var counter: UInt32 = 0
    var held: BlockMap
    var object = ObjectID.manifest
    var block = 0
    /// The next page to erase for a block.
    private var page: UInt32 = 0
    /// Whether anything of the session's transfer is there, or of its manifest was written. Else a
    /// peer could wear out a page with two small frames for each erasure.
    var hasTransfer = false
    /// Whether nobody has looked yet if the manifest of the session's transfer is there.
    var isUnjudged = false
    private var hash = SHA256()
    /// Whether a page with several blocks has something in it that is none of them.
    var isPageSpoiled = false

    init(
        layout: FlashLayout,
        memory: DeviceMemory
    ) {
        self.layout = layout
        buffer = memory.receiver.blocks
        heldWords = memory.heldWords
        blockByteCountMax = memory.blockByteCount
        held = BlockMap(blockCount: 0, in: heldWords)
    }

    var isWorking: Bool { work != .nothing }

    /// Whether it is at what has to be done also when the session is over.
    var isForgetting: Bool { work == .forgetting }

    mutating func abandon() { work = .nothing }

    /// The length of the longest beginning of the image that no power cut can take back: a torn
    /// write spoils what has to be erased with it.
    var durableByteCount: UInt32 {
        guard object == .image else { return 0 }
        let missing = held.firstMissing(from: 0)
        let end = min(UInt32(missing) * UInt32(blockByteCount), imageByteCount)
        return end == imageByteCount ? end : end & ~(layout.pageByteCount - 1)
    }

    // MARK: - Tasks

    /// Begins a task. Its answer comes from ``step(_:_:)``, or at once.
    mutating func begin(
        _ task: StorageTask,
        _ hooks: some DeviceHooks
    ) throws(FlashFault) -> StorageAnswer? {
        switch task {
        case .lookUp(let tag, let manifestByteCount):
            return try lookUp(tag, manifestByteCount, hooks)
        case .write(let object, let block):
            hasTransfer = true
            self.object = object
            self.block = block
            page = address(ofBlock: block) & ~(layout.pageByteCount - 1)
            work = .writing
        case .judge:
            work = .judging
        case .publish:
            block = 0
            hash = SHA256()
            work = .verifying
        case .release(let isDiscarding):
            try release(isDiscarding, hooks)
        }
        return nil
    }

    private mutating func release(
        _ isDiscarding: Bool,
        _ hooks: some DeviceHooks
    ) throws(FlashFault) {
        work = .nothing
        if isDiscarding, isUnjudged, let manifest = try manifestThere(hooks) {
            hasTransfer = true
            _ = refusal(of: manifest.bytes, 0, by: hooks)
        }
        isUnjudged = false
        guard isDiscarding, hasTransfer else { return }
        hasTransfer = false
        if try SlotRecord(in: layout, of: hooks).isVerified(in: layout) {
            // The slot still has the image before it, and nothing of this one.
            object = .manifest
            imageByteCount = 0
        }
        page = layout.slot.lowerBound
        work = .forgetting
    }

    private mutating func lookUp(
        _ tag: TransferTag,
        _ manifestByteCount: UInt32,
        _ hooks: some DeviceHooks
    ) throws(FlashFault) -> StorageAnswer? {
        self.tag = tag
        self.manifestByteCount = manifestByteCount
        object = .manifest
        imageByteCount = 0
        hasTransfer = false
        isUnjudged = false
        let record = try SlotRecord(in: layout, of: hooks)
        if record.imageByteCount > 0, record.tag == tag.rawValue {
            return .alreadyCurrent(receipt: record.imageSHA256.tag)
        }
        let limit = min(layout.manifest.count, buffer.count, heldCountMax * manifestBlockByteCount)
        guard manifestByteCount <= limit else {
            return .refused(.tooLarge, detail: UInt64(limit))
        }
        isUnjudged = true
        work = .lookingUp
        return nil
    }

    /// Does the next step of a task.
    ///
    /// - Parameter receiver: has the bytes of the block to write.
    /// - Returns: the answer, if that was the last step.
    mutating func step(
        _ hooks: some DeviceHooks,
        _ receiver: borrowing Receiver
    ) throws(FlashFault) -> StorageAnswer? {
        switch work {
        case .nothing: return nil
        case .lookingUp, .judging: return try judge(hooks)
        case .findingBlocks: return try findBlock(hooks)
        case .writing: return try write(hooks, receiver)
        case .verifying: return try verify(hooks)
        case .forgetting:
            try forget(hooks)
            return nil
        }
    }

    mutating func end(_ answer: StorageAnswer) -> StorageAnswer {
        work = .nothing
        return answer
    }

    // MARK: - Blocks

    private func address(ofBlock block: Int) -> UInt32 {
        let area = object == .manifest ? layout.manifest : layout.slot
        return area.lowerBound + UInt32(block * blockByteCount)
    }

    private func byteCount(ofBlock block: Int) -> Int {
        let byteCount = object == .manifest ? manifestByteCount : imageByteCount
        return min(blockByteCount, Int(byteCount) - block * blockByteCount)
    }

    /// Whether bytes have the hash of a block of the image.
    private func isRight(
        _ bytes: UnsafeRawBufferPointer,
        _ block: Int,
        _ hooks: some DeviceHooks
    ) throws(FlashFault) -> Bool {
        var expected = InlineArray<16, UInt8>(repeating: 0)
        let address = hashesAddress + UInt32(block * ManifestLayout.blockHashByteCount)
        try withUnsafeMutableBytes(of: &expected) { expected throws(FlashFault) in
            try hooks.read(address, into: expected)
        }
        let digest = SHA256.digest(of: bytes)
        return withUnsafeBytes(of: &expected) { digest.begins(with: $0) }
    }

    private func load(
        _ byteCount: Int,
        of block: Int,
        _ hooks: some DeviceHooks
    ) throws(FlashFault) -> UnsafeRawBufferPointer {
        let bytes = UnsafeMutableRawBufferPointer(rebasing: buffer[..<byteCount])
        try hooks.read(address(ofBlock: block), into: bytes)
        return UnsafeRawBufferPointer(bytes)
    }

    /// How many blocks are erased together.
    private var blockCountOfUnit: Int { max(1, Int(layout.pageByteCount) / blockByteCount) }

    private func unit(of block: Int) -> Range<Int> {
        let first = block / blockCountOfUnit * blockCountOfUnit
        return first..<min(first + blockCountOfUnit, held.blockCount)
    }

    /// Looks whether one block is there. In a page of several, one that is not takes the others
    /// with it: only erasing makes room for it for sure, whatever the page reads as.
    private mutating func findBlock(
        _ hooks: some DeviceHooks
    ) throws(FlashFault) -> StorageAnswer? {
        let bytes = try load(byteCount(ofBlock: block), of: block, hooks)
        held[block] = try isRight(bytes, block, hooks)
        if !held[block] { isPageSpoiled = true }
        let unit = unit(of: block)
        block += 1
        if block == unit.upperBound {
            if isPageSpoiled { for block in unit { held[block] = false } }
            isPageSpoiled = false
        }
        guard block == held.blockCount else { return nil }
        return end(.planned(presentPlan(imageByteCount)))
    }

    private mutating func write(
        _ hooks: some DeviceHooks,
        _ receiver: borrowing Receiver
    ) throws(FlashFault) -> StorageAnswer? {
        let address = address(ofBlock: block)
        let bytes = bytes(ofBlock: block, receiver)
        if page <= address, object == .image, try !isRight(bytes, block, hooks) {
            return end(.rejected(block: block))
        }
        // A page that has a block already was erased before it.
        let end = address + UInt32(bytes.count)
        if page < end, unit(of: block).allSatisfy({ !held[$0] }) {
            try hooks.erase(pageAt: page)
            page += layout.pageByteCount
            return nil
        }
        try program(bytes, at: address, hooks)
        return self.end(.stored(block: block))
    }

    /// The bytes of a block that arrived. They lie in the memory that the receiver was given, and
    /// stay there until the block is answered.
    private func bytes(
        ofBlock block: Int,
        _ receiver: borrowing Receiver
    ) -> UnsafeRawBufferPointer {
        receiver.withBytes(ofBlock: block) { bytes in bytes.withUnsafeBytes { $0 } }
    }

    /// Programs bytes, and what is missing to a multiple of what can be programmed as 0xFF.
    private func program(
        _ bytes: UnsafeRawBufferPointer,
        at address: UInt32,
        _ hooks: some DeviceHooks
    ) throws(FlashFault) {
        let whole = bytes.count & ~(Int(layout.writeByteCount) - 1)
        if whole > 0 {
            try hooks.write(UnsafeRawBufferPointer(rebasing: bytes[..<whole]), at: address)
        }
        guard whole < bytes.count else { return }
        var rest = InlineArray<16, UInt32>(repeating: .max)
        try withUnsafeMutableBytes(of: &rest) { rest throws(FlashFault) in
            for offset in whole..<bytes.count { rest[offset - whole] = bytes[offset] }
            let padded = UnsafeRawBufferPointer(
                rebasing: UnsafeRawBufferPointer(rest)[..<Int(layout.writeByteCount)]
            )
            try hooks.write(padded, at: address + UInt32(whole))
        }
    }

    //= END-8: A receiver that gets CLOSE with the reason *withdrawn* in a session that has not
    //= ended MUST forget what it holds of that transfer, durable or not. An image that was made
    //= current stays.
    /// Erases one page of the image, and after the last of them the manifest.
    private mutating func forget(_ hooks: some DeviceHooks) throws(FlashFault) {
        if object == .image, page < layout.slot.lowerBound + imageByteCount {
            try hooks.erase(pageAt: page)
            page += layout.pageByteCount
            return
        }
        try hooks.erase(pageAt: layout.manifest.lowerBound)
        object = .manifest
        imageByteCount = 0
        work = .nothing
    }

    // MARK: - The image

    private mutating func verify(
        _ hooks: some DeviceHooks
    ) throws(FlashFault) -> StorageAnswer? {
        let bytes = try load(byteCount(ofBlock: block), of: block, hooks)
        block += 1
        guard block == held.blockCount else {
            hash.update(bytes)
            return nil
        }
        let digest = hash.finish(with: bytes)
        var expected = InlineArray<32, UInt8>(repeating: 0)
        try withUnsafeMutableBytes(of: &expected) { expected throws(FlashFault) in
            let address = layout.manifest.lowerBound
            try hooks.read(address + UInt32(ManifestLayout.sha256.lowerBound), into: expected)
        }
        guard withUnsafeBytes(of: &expected, { digest.begins(with: $0) }) else {
            return end(.lookUpAgain)
        }
        // One that can't be written leaves the one before, and the next goes to the same page.
        var record = try SlotRecord(in: layout, of: hooks)
        record.counter = max(record.counter, counter)
        record.slotAddress = layout.slot.lowerBound
        record.imageByteCount = imageByteCount
        record.tag = tag.rawValue
        record.imageSHA256 = digest
        try record.append(to: layout, of: hooks)
        return end(.published(receipt: digest.tag))
    }
}
