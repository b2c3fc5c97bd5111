import BLEOTACore
import BLEOTAManifest

/// The store of a device: a slot for an image, an area for its manifest, and a record, all in
/// flash.
///
/// The store needs no journal. A manifest is held if its hash is the one in OPEN, and a block
/// is held if its hash is the one in the manifest. Anything that a power cut has left incomplete
/// does not match. This design costs a check of all blocks when a transfer resumes, and no writes.
///
/// The store has no queue of tasks: before each step it checks which work its receiver waits for. A
/// step erases at most one page, and reads, hashes and programs at most one block.
struct FlashStore<Hooks: DeviceHooks>: ~Copyable {
    /// The result of a step: an answer for the receiver. Its values stay in the store until the
    /// receiver gets them.
    enum Outcome: UInt8 {
        /// The step has no answer: there is more to do, or no answer is needed.
        case none
        /// The object in ``plan`` is to be received next.
        case planned
        /// The image in the record is current.
        case published
        /// The block in ``block`` is stored.
        case stored
        /// The block in ``block`` does not match its hash.
        case rejected
        case lookUpAgain
        /// The image is refused with ``reason`` and ``detail``.
        case refused
    }

    // Properties of one byte come first and long ones last, because a microcontroller reaches
    // those near the beginning with shorter instructions.

    private let pin = AddressStable()
    /// Whether ``block`` is being written to the flash.
    var isWriting = false
    /// Whether a withdrawn transfer is being erased, which continues after the end of the
    /// session.
    var isForgetting = false
    var reason = Reason.verified
    /// The object being received or looked up, and its held blocks.
    var plan = ObjectPlan()
    var flash: Flash<Hooks>
    /// The block being written, or the next one to check; 0 before the first.
    var block: UInt32 = 0
    /// The next page to erase.
    var page: UInt32 = 0
    /// The receiver's block buffers, which nothing else uses while no object is received.
    let buffer: UnsafeMutableRawPointer
    private let bufferByteCount: UInt32
    let heldWords: UnsafeMutableBufferPointer<UInt>
    let blockByteCountMax: Int
    var tag = TransferTag(rawValue: 0)
    var detail: UInt64 = 0
    var manifestByteCount: UInt32 = 0
    var hashesAddress: UInt32 = 0
    var counter: UInt32 = 0
    /// The newest record in flash at the last lookup.
    var record = SlotRecord()
    private var hash = SHA256()

    init(_ hooks: Hooks, memory: DeviceMemory) {
        flash = Flash(hooks: hooks)
        buffer = memory.receiver.ring
        bufferByteCount = memory.receiver.byteCount
        heldWords = memory.heldWords
        blockByteCountMax = memory.blockByteCount
    }

    // MARK: - Steps

    /// Performs one step of the work that the receiver waits for, and gives it the answer.
    ///
    /// - Returns: whether there was any work.
    @inline(never)  // Less code and stack.
    mutating func step(_ receiver: inout Receiver) -> Bool {
        // A release is never answered, because another session may have begun since.
        let task = isForgetting ? [] : receiver.takeTask()
        let isAnswered = !isForgetting && !task.hasRelease
        var outcome = Outcome.none
        if isForgetting {
            forget()
        } else if task.hasRelease {
            release(task == .discard, receiver.session)
        } else {
            switch receiver.state {
            case .idle, .requesting, .finished: return false
            case .lookingUp where task == .question:
                outcome = lookUp(receiver.session)
                hooks.log(.opened(manifestByteCount: manifestByteCount))
            case .lookingUp, .judging: outcome = plan.object == .manifest ? judge() : findBlock()
            case .receiving:
                if !isWriting {
                    guard let block = receiver.nextCompleteBlock() else { return false }
                    isWriting = true
                    self.block = UInt32(truncatingIfNeeded: block)
                    // The pages that begin in this block may be erased: blocks arrive in
                    // ascending order, and of the blocks that share a page, either all are held
                    // or none.
                    let mask = layout.pageByteCount &- 1
                    page = (address &+ mask) & ~mask
                    if plan.object == .image, !isValid(bytes(receiver)) {
                        outcome = .rejected
                        break
                    }
                }
                outcome = write(receiver)
            case .verifying: outcome = verify()
            }
        }
        if let fault = flash.fault {
            flash.fault = nil
            hooks.log(.flashFailed(fault))
            isForgetting = false
            outcome = isAnswered ? refused(.storeFailed) : .none
        }
        answer(outcome, to: &receiver)
        return true
    }

    @inline(never)
    private mutating func answer(_ outcome: Outcome, to receiver: inout Receiver) {
        if outcome == .none { return }
        receiver.advance(to: hooks.now())
        switch outcome {
        case .none: break
        case .planned:
            receiver.planned(plan)
            if receiver.isReceivingImage {
                hooks.log(.resumed(heldByteCount: receiver.durableByteCount))
            }
        case .published: receiver.published(digestPrefix: record.imageSHA256.tag)
        case .stored:
            receiver.stored(
                block: Int(truncatingIfNeeded: block),
                durableMask: plan.durableMask
            )
            isWriting = false
            block = 0
            if plan.object == .image, receiver.durableByteCount > 0 {
                hooks.log(.durable(byteCount: receiver.durableByteCount))
            }
        case .rejected:
            receiver.rejected(block: Int(truncatingIfNeeded: block))
            isWriting = false
            hooks.log(.blockRejected(block))
        case .lookUpAgain: receiver.lookUpAgain()
        case .refused: receiver.refused(reason, detail: detail)
        }
    }

    mutating func refused(_ reason: Reason, detail: UInt64 = 0) -> Outcome {
        self.reason = reason
        self.detail = detail
        return .refused
    }

    // MARK: - Sessions

    private mutating func release(_ isDiscarding: Bool, _ open: SenderControl.Open) {
        isWriting = false
        // The lookup of the transfer may still be pending. Without a complete manifest, no
        // block is held, so nothing is erased. If the slot were erased even then, a peer could
        // wear out a page with two small frames per erasure.
        guard isDiscarding, lookUp(open) == .none, isManifestThere() else { return }
        isForgetting = true
        page = layout.slot.lowerBound
        // A slot that still contains the previous image has no blocks of this one.
        if !record.isVerified(in: layout) { _ = accept(manifest.bytes, 0) }
    }

    @inline(never)
    private mutating func lookUp(_ open: SenderControl.Open) -> Outcome {
        tag = open.tag
        manifestByteCount = open.manifestByteCount
        // No image is reported yet, even if the session ends with this lookup.
        plan.object = .manifest
        record.readNewest(from: &flash)
        if record.imageByteCount > 0, record.tag == tag.rawValue {
            return .published
        }
        // This can't overflow: this many blocks of the maximum length are only slightly larger
        // than the slot.
        let limit = min(
            UInt32(truncatingIfNeeded: layout.manifest.byteCount),
            bufferByteCount,
            UInt32(truncatingIfNeeded: heldCountMax &* blockByteCountMax)
        )
        guard manifestByteCount <= limit else { return refused(.tooLarge, detail: UInt64(limit)) }
        planManifest()
        return .none
    }

    //= END-8: If CLOSE with the reason *withdrawn* arrives in a session that has not ended, a
    //= receiver MUST forget everything that it holds of the session's transfer, durable or not.
    /// Erases one page of the image, or the manifest once all pages are erased.
    private mutating func forget() {
        if plan.object == .image, page < layout.slot.lowerBound &+ plan.byteCount {
            return erasePage()
        }
        flash.erase(pageAt: layout.manifest.lowerBound)
        planManifest()
        isForgetting = false
    }

    // MARK: - Blocks

    /// The offset of the current block in its object. The product can't overflow: the block
    /// begins within the object, which is less than 512 MiB, or at its end.
    private var offset: UInt32 { block &* UInt32(truncatingIfNeeded: plan.blockByteCount) }

    /// The address of the current block. The sum can't overflow, because an area does not wrap
    /// around the end of the address space.
    private var address: UInt32 {
        let area = plan.object == .manifest ? layout.manifest : layout.slot
        return area.lowerBound &+ offset
    }

    /// Whether the bytes match the hash of the current block of the image.
    @inline(never)
    private mutating func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        // The product can't overflow, because the hashes are in the manifest.
        let offset = block &* UInt32(ManifestLayout.blockHashByteCount)
        hash.restart()
        hash.update(bytes)
        return isHash(at: hashesAddress &+ offset, ManifestLayout.blockHashByteCount)
    }

    /// Whether the hash just computed begins with the `byteCount` bytes at an address in flash.
    @inline(never)
    private mutating func isHash(at address: UInt32, _ byteCount: Int) -> Bool {
        var expected = InlineArray<32, UInt8>(repeating: 0)
        return withUnsafeMutableBytes(of: &expected) { expected in
            let bytes = UnsafeMutableRawBufferPointer(rebasing: expected[..<byteCount])
            hash.end()
            return flash.read(address, into: bytes)
                && hash.digest.begins(with: UnsafeRawBufferPointer(bytes))
        }
    }

    /// Reads the current block into the buffer.
    private mutating func load() -> UnsafeRawBufferPointer {
        // SAFETY: the buffer has room for two blocks of the maximum accepted length.
        let bytes = UnsafeMutableRawBufferPointer(start: buffer, count: byteCount)
        _ = flash.read(address, into: bytes)
        return UnsafeRawBufferPointer(bytes)
    }

    /// The number of blocks that are erased together, minus 1. It is a mask, because the
    /// lengths of pages and blocks are powers of two.
    private var unitMask: UInt32 {
        (layout.pageByteCount &- 1) / UInt32(truncatingIfNeeded: plan.blockByteCount)
    }

    /// Checks whether one block is held. If several blocks share a page and one of them is not
    /// held, none counts as held: whatever the page reads as, only erasing it makes room
    /// reliably.
    private mutating func findBlock() -> Outcome {
        let mask = unitMask
        if !isValid(load()) {
            block |= mask
        } else if block & mask == mask || block &+ 1 == plan.held.count {
            var index = block & ~mask
            while index <= block {
                plan.held[index] = true
                index &+= 1
            }
        }
        block &+= 1
        guard block >= plan.held.count else { return .none }
        block = 0
        return .planned
    }

    private mutating func write(_ receiver: borrowing Receiver) -> Outcome {
        let address = address
        if page < address &+ UInt32(truncatingIfNeeded: byteCount) {
            erasePage()
            return .none
        }
        program(receiver.start(ofBlock: block), at: address)
        return .stored
    }

    /// The bytes of the current block, which has arrived.
    private func bytes(_ receiver: borrowing Receiver) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: receiver.start(ofBlock: block), count: byteCount)
    }

    /// The length of the current block.
    private var byteCount: Int {
        min(plan.blockByteCount, Int(truncatingIfNeeded: plan.byteCount &- offset))
    }

    @inline(never)
    private mutating func erasePage() {
        flash.erase(pageAt: page)
        page &+= layout.pageByteCount
    }

    /// Programs the current block, padded with 0xFF to a multiple of the programming unit.
    private mutating func program(_ bytes: UnsafeMutableRawPointer, at address: UInt32) {
        let unit = Int(truncatingIfNeeded: layout.writeByteCount)
        // SAFETY: only the last block can have a length that is not a multiple of the unit. It
        // is shorter than the other blocks, and the memory up to their length is unused.
        let buffer = UnsafeMutableRawBufferPointer(
            start: bytes,
            count: (byteCount &+ unit &- 1) & ~(unit &- 1)
        )
        buffer[byteCount...].initializeMemory(as: UInt8.self, repeating: 0xFF)
        flash.write(UnsafeRawBufferPointer(buffer), at: address)
    }

    // MARK: - The image

    private mutating func verify() -> Outcome {
        if block == 0 { hash.restart() }
        let bytes = load()
        block &+= 1
        hash.update(bytes)
        guard block == plan.held.count else { return .none }
        block = 0
        let address = layout.manifest.lowerBound &+ UInt32(ManifestLayout.sha256.lowerBound)
        guard isHash(at: address, SHA256.byteCount) else { return .lookUpAgain }
        // If this record can't be written, the previous one remains valid, and the next goes to
        // the same page.
        record.counter = max(record.counter, counter)
        record.slotAddress = layout.slot.lowerBound
        record.imageByteCount = plan.byteCount
        record.tag = tag.rawValue
        record.imageSHA256 = hash.digest
        record.append(to: &flash)
        return .published
    }
}
