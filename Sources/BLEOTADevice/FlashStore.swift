import BLEOTACore

/// The store of a device: a slot for an image, a place for its manifest, and a record, in flash.
///
/// It needs no journal. A manifest is held if it has the hash by which OPEN names it, and a block
/// if it has its hash in the manifest: what a power cut tore has not. That costs a look at all
/// blocks when a transfer goes on, and no writes.
///
/// What a task needs is done in steps, each of which erases one page, or reads, hashes or programs
/// one block.
struct FlashStore<Hooks: DeviceHooks>: ~Copyable {
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

    /// What a step led to: a ``StorageAnswer``, whose values stay in the store until then.
    enum Outcome: UInt8 {
        /// There is more to do, or nothing to answer.
        case none
        /// With ``plan``.
        case planned
        /// With ``detail`` as receipt.
        case alreadyCurrent
        /// With ``detail`` as receipt.
        case published
        /// It is ``block``.
        case stored
        /// It is ``block``.
        case rejected
        case lookUpAgain
        /// With ``reason`` and ``detail``.
        case refused
    }

    // What is a byte comes first, and what is long last: a microcontroller reaches what is near the
    // beginning with shorter instructions.

    private let pin = Pin()
    var work = Work.nothing
    var object = ObjectID.manifest
    /// Whether anything of the session's transfer is there, or of its manifest was written. Else a
    /// peer could wear out a page with two small frames for each erasure.
    var hasTransfer = false
    /// Whether nobody has looked yet if the manifest of the session's transfer is there.
    var isUnjudged = false
    /// Whether a page with several blocks has something in it that is none of them.
    private var isPageSpoiled = false
    private(set) var reason = Reason.verified
    var flash: Flash<Hooks>
    /// The receiver's block buffers, which nobody else uses while no object is received.
    let buffer: UnsafeMutableRawPointer
    private let bufferByteCount: Int
    let heldWords: UnsafeMutableBufferPointer<UInt>
    let blockByteCountMax: Int
    var tag = TransferTag(rawValue: 0)
    private(set) var detail: UInt64 = 0
    var manifestByteCount: UInt32 = 0
    var imageByteCount: UInt32 = 0
    var blockByteCount = 0
    var hashesAddress: UInt32 = 0
    var counter: UInt32 = 0
    var held = BlockMap()
    var block = 0
    /// The next page to erase for a block.
    private var page: UInt32 = 0
    private var hash = SHA256()

    init(_ hooks: Hooks, memory: DeviceMemory) {
        flash = Flash(hooks: hooks)
        // SAFETY: it has 1,024 bytes at least, and so begins somewhere.
        buffer = memory.receiver.blocks.baseAddress.unsafelyUnwrapped
        bufferByteCount = memory.receiver.blocks.count
        heldWords = memory.heldWords
        blockByteCountMax = memory.blockByteCount
    }

    var isWorking: Bool { work != .nothing }

    /// Whether it is at what has to be done also when the session is over.
    var isForgetting: Bool { work == .forgetting }

    mutating func abandon() { work = .nothing }

    /// The length of the longest beginning of the image that no power cut can take back: a torn
    /// write spoils what has to be erased with it.
    var durableByteCount: UInt32 {
        guard object == .image else { return 0 }
        let end = min(offset(ofBlock: held.firstMissing(from: 0)), imageByteCount)
        return end == imageByteCount ? end : end & ~(layout.pageByteCount &- 1)
    }

    // MARK: - Tasks

    /// Begins a task. Its answer comes from ``step(_:)``, or at once.
    mutating func begin(_ task: StorageTask) -> Outcome {
        switch task {
        case .lookUp(let tag, let manifestByteCount): return lookUp(tag, manifestByteCount)
        case .write(let object, let block):
            hasTransfer = true
            self.object = object
            self.block = block
            page = address & ~(layout.pageByteCount &- 1)
            work = .writing
        case .judge:
            work = .judging
        case .publish:
            block = 0
            hash = SHA256()
            work = .verifying
        case .release(let isDiscarding):
            release(isDiscarding)
        }
        return .none
    }

    /// Not inlined, because in a microcontroller it is less code with registers of its own.
    @inline(never)
    private mutating func release(_ isDiscarding: Bool) {
        work = .nothing
        if isDiscarding, isUnjudged, isManifestThere() {
            hasTransfer = true
            _ = refusal(of: manifest.bytes, 0, by: hooks)
        }
        isUnjudged = false
        // A session after this one may be withdrawn before anybody looked what is there of it.
        let hadTransfer = hasTransfer
        hasTransfer = false
        guard isDiscarding, hadTransfer else { return }
        var record = SlotRecord()
        record.readNewest(from: &flash)
        if record.isVerified(in: layout) {
            // The slot still has the image before it, and nothing of this one.
            object = .manifest
            imageByteCount = 0
        }
        page = layout.slot.lowerBound
        work = .forgetting
    }

    private mutating func lookUp(_ tag: TransferTag, _ manifestByteCount: UInt32) -> Outcome {
        self.tag = tag
        self.manifestByteCount = manifestByteCount
        object = .manifest
        imageByteCount = 0
        hasTransfer = false
        isUnjudged = false
        var record = SlotRecord()
        record.readNewest(from: &flash)
        if record.imageByteCount > 0, record.tag == tag.rawValue {
            detail = record.imageSHA256.tag
            return .alreadyCurrent
        }
        // Cannot wrap: as many of the longest blocks are hardly more than the slot.
        let limit = min(
            layout.manifest.byteCount,
            bufferByteCount,
            heldCountMax &* manifestBlockByteCount
        )
        guard manifestByteCount <= limit else {
            return refused(.tooLarge, detail: UInt64(truncatingIfNeeded: limit))
        }
        isUnjudged = true
        work = .lookingUp
        return .none
    }

    /// Does the next step of a task.
    ///
    /// - Parameter receiver: has the bytes of the block to write.
    @inline(never)  // Less code and stack.
    mutating func step(_ receiver: borrowing Receiver) -> Outcome {
        switch work {
        case .nothing: .none
        case .lookingUp, .judging: judge()
        case .findingBlocks: findBlock()
        case .writing: write(receiver)
        case .verifying: verify()
        case .forgetting: forget()
        }
    }

    mutating func end(_ outcome: Outcome) -> Outcome {
        work = .nothing
        return outcome
    }

    mutating func refused(_ reason: Reason, detail: UInt64 = 0) -> Outcome {
        self.reason = reason
        self.detail = detail
        return end(.refused)
    }

    // MARK: - Blocks

    /// Cannot wrap: a block begins in its object, which is shorter than 512 MiB, or at its end.
    private func offset(ofBlock block: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: block &* blockByteCount)
    }

    /// Where the present block is. Cannot wrap, as an area does not.
    private var address: UInt32 {
        let area = object == .manifest ? layout.manifest : layout.slot
        return area.lowerBound &+ offset(ofBlock: block)
    }

    var byteCount: UInt32 { object == .manifest ? manifestByteCount : imageByteCount }

    /// Whether bytes have the hash of the present block of the image.
    @inline(never)
    private mutating func isRight(_ bytes: UnsafeRawBufferPointer) -> Bool {
        // Cannot wrap: the hashes are in the manifest.
        let offset = UInt32(truncatingIfNeeded: block &* ManifestLayout.blockHashByteCount)
        return isExpected(
            SHA256.digest(of: bytes),
            at: hashesAddress &+ offset,
            ManifestLayout.blockHashByteCount
        )
    }

    /// Whether a digest begins with so many bytes that are in flash.
    private mutating func isExpected(
        _ digest: Digest,
        at address: UInt32,
        _ byteCount: Int
    ) -> Bool {
        var expected = InlineArray<32, UInt8>(repeating: 0)
        return withUnsafeMutableBytes(of: &expected) { expected in
            let bytes = UnsafeMutableRawBufferPointer(rebasing: expected[..<byteCount])
            return flash.read(address, into: bytes)
                && digest.begins(with: UnsafeRawBufferPointer(bytes))
        }
    }

    /// Reads the present block into the buffer.
    private mutating func load() -> UnsafeRawBufferPointer {
        let rest = Int(truncatingIfNeeded: byteCount &- offset(ofBlock: block))
        // SAFETY: the buffer has room for two of the longest blocks that are taken.
        let bytes = UnsafeMutableRawBufferPointer(
            start: buffer,
            count: min(blockByteCount, rest)
        )
        _ = flash.read(address, into: bytes)
        return UnsafeRawBufferPointer(bytes)
    }

    /// How many blocks are erased together, less one: a mask, because a page and a block are powers
    /// of two.
    private var unitMask: Int {
        Int(
            truncatingIfNeeded: (layout.pageByteCount &- 1)
                / UInt32(truncatingIfNeeded: blockByteCount)
        )
    }

    /// Looks whether one block is there. In a page of several, one that is not takes the others
    /// with it: only erasing makes room for it for sure, whatever the page reads as.
    private mutating func findBlock() -> Outcome {
        let first = block & ~unitMask
        if block == first { isPageSpoiled = false }
        if !isPageSpoiled {
            if isRight(load()) {
                held[block] = true
            } else {
                isPageSpoiled = true
                var index = block
                while index > first {
                    index &-= 1
                    held[index] = false
                }
            }
        }
        block &+= 1
        return block < held.blockCount ? .none : end(.planned)
    }

    private mutating func write(_ receiver: borrowing Receiver) -> Outcome {
        let address = address
        let bytes = bytes(receiver)
        if page <= address, object == .image, !isRight(bytes) { return end(.rejected) }
        // A page that has a block already was erased before it.
        if page < address &+ UInt32(truncatingIfNeeded: bytes.count), isUnitFree {
            erasePage()
            return .none
        }
        program(bytes, at: address)
        return end(.stored)
    }

    /// Whether none of the blocks is held that are erased together with the present one.
    private var isUnitFree: Bool {
        let next = held.firstHeld(from: block & ~unitMask)
        return next > block | unitMask || next == held.blockCount
    }

    @inline(never)
    private mutating func erasePage() {
        flash.erase(pageAt: page)
        page &+= layout.pageByteCount
    }

    /// The bytes of the present block, which arrived. They lie in the memory that the receiver was
    /// given, and stay there until the block is answered.
    private func bytes(_ receiver: borrowing Receiver) -> UnsafeRawBufferPointer {
        receiver.withBytes(ofBlock: block) { bytes in bytes.withUnsafeBytes { $0 } }
    }

    /// Programs bytes, and what is missing to a multiple of what can be programmed as 0xFF.
    private mutating func program(_ bytes: UnsafeRawBufferPointer, at address: UInt32) {
        let unit = Int(truncatingIfNeeded: layout.writeByteCount)
        let whole = bytes.count & ~(unit &- 1)
        if whole > 0 { flash.write(UnsafeRawBufferPointer(rebasing: bytes[..<whole]), at: address) }
        guard whole < bytes.count else { return }
        var rest = InlineArray<16, UInt32>(repeating: .max)
        withUnsafeMutableBytes(of: &rest) { rest in
            rest.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[whole...]))
            flash.write(
                UnsafeRawBufferPointer(rebasing: rest[..<unit]),
                at: address &+ UInt32(truncatingIfNeeded: whole)
            )
        }
    }

    //= END-8: A receiver that gets CLOSE with the reason *withdrawn* in a session that has not
    //= ended MUST forget what it holds of that transfer, durable or not. An image that was made
    //= current stays.
    /// Erases one page of the image, and after the last of them the manifest.
    private mutating func forget() -> Outcome {
        if object == .image, page < layout.slot.lowerBound &+ imageByteCount {
            erasePage()
            return .none
        }
        flash.erase(pageAt: layout.manifest.lowerBound)
        object = .manifest
        imageByteCount = 0
        return end(.none)
    }

    // MARK: - The image

    private mutating func verify() -> Outcome {
        let bytes = load()
        block &+= 1
        guard block == held.blockCount else {
            hash.update(bytes)
            return .none
        }
        let digest = hash.finish(with: bytes)
        let address = layout.manifest.lowerBound &+ UInt32(ManifestLayout.sha256.lowerBound)
        guard isExpected(digest, at: address, SHA256.byteCount) else { return end(.lookUpAgain) }
        // One that can't be written leaves the one before, and the next goes to the same page.
        var record = SlotRecord()
        record.readNewest(from: &flash)
        record.counter = max(record.counter, counter)
        record.slotAddress = layout.slot.lowerBound
        record.imageByteCount = imageByteCount
        record.tag = tag.rawValue
        record.imageSHA256 = digest
        record.append(to: &flash)
        detail = digest.tag
        return end(.published)
    }
}
