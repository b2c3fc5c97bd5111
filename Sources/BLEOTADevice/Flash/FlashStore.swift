import BLEOTACore
import BLEOTAManifest

/// The store of a device: a slot for an image, a place for its manifest, and a record, in flash.
///
/// It needs no journal. A manifest is held if it has the hash by which OPEN names it, and a block
/// if it has its hash in the manifest: what a power cut tore has not. That costs a look at all
/// blocks when a transfer goes on, and no writes.
///
/// It takes no tasks: before each step it looks what its receiver waits for. A step erases at
/// most one page, and reads, hashes and programs at most one block.
struct FlashStore<Hooks: DeviceHooks>: ~Copyable {
    /// What a step led to: an answer to the receiver, whose values stay in the store until then.
    enum Outcome: UInt8 {
        /// There is more to do, or nothing to answer.
        case none
        /// With ``plan``.
        case planned
        /// The image is current, as the record says.
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

    private let pin = AddressStable()
    /// Whether ``block`` is on its way to the flash.
    var isWriting = false
    /// Whether a transfer that was taken back is being erased, also when the session is over.
    var isForgetting = false
    var reason = Reason.verified
    /// The object that is received or looked for, and what is held of it.
    var plan = ObjectPlan()
    var flash: Flash<Hooks>
    /// The block that is written, or the next to look at; 0 before the first.
    var block: UInt32 = 0
    /// The next page to erase.
    var page: UInt32 = 0
    /// The receiver's block buffers, which nobody else uses while no object is received.
    let buffer: UnsafeMutableRawPointer
    private let bufferByteCount: UInt32
    let heldWords: UnsafeMutableBufferPointer<UInt>
    let blockByteCountMax: Int
    var tag = TransferTag(rawValue: 0)
    var detail: UInt64 = 0
    var manifestByteCount: UInt32 = 0
    var hashesAddress: UInt32 = 0
    var counter: UInt32 = 0
    /// The newest in flash, since the session was looked up.
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

    /// Does one step of what a receiver waits for, and answers it.
    ///
    /// - Returns: whether there was something to do.
    @inline(never)  // Less code and stack.
    mutating func step(_ receiver: inout Receiver) -> Bool {
        // What lets go of a session answers to none: another one may have begun since.
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
                    // The pages that begin in it are its own to erase: blocks come in ascending
                    // order, and of a page of several none is held, or all.
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
        // Nobody may have looked yet what is there. Where that is no whole manifest, nothing is
        // held, and nothing is erased: else a peer could wear out a page with two small frames for
        // each erasure.
        guard isDiscarding, lookUp(open) == .none, isManifestThere() else { return }
        isForgetting = true
        page = layout.slot.lowerBound
        // In a slot that still has the image before it is nothing of this one.
        if !record.isVerified(in: layout) { _ = accept(manifest.bytes, 0) }
    }

    @inline(never)
    private mutating func lookUp(_ open: SenderControl.Open) -> Outcome {
        tag = open.tag
        manifestByteCount = open.manifestByteCount
        // There is no image yet, also where it ends with this look.
        plan.object = .manifest
        record.readNewest(from: &flash)
        if record.imageByteCount > 0, record.tag == tag.rawValue {
            return .published
        }
        // Cannot wrap: as many of the longest blocks are hardly more than the slot.
        let limit = min(
            UInt32(truncatingIfNeeded: layout.manifest.byteCount),
            bufferByteCount,
            UInt32(truncatingIfNeeded: heldCountMax &* blockByteCountMax)
        )
        guard manifestByteCount <= limit else { return refused(.tooLarge, detail: UInt64(limit)) }
        planManifest()
        return .none
    }

    //= END-8: A receiver that gets CLOSE with the reason *withdrawn* in a session that has not
    //= ended MUST forget what it holds of that transfer, durable or not, but for [END-9]. An image
    //= that was made current stays.
    /// Erases one page of the image, and after the last of them the manifest.
    private mutating func forget() {
        if plan.object == .image, page < layout.slot.lowerBound &+ plan.byteCount {
            return erasePage()
        }
        flash.erase(pageAt: layout.manifest.lowerBound)
        planManifest()
        isForgetting = false
    }

    // MARK: - Blocks

    /// Cannot wrap: a block begins in its object, which is shorter than 512 MiB, or at its end.
    private var offset: UInt32 { block &* UInt32(truncatingIfNeeded: plan.blockByteCount) }

    /// Where the present block is. Cannot wrap, as an area does not.
    private var address: UInt32 {
        let area = plan.object == .manifest ? layout.manifest : layout.slot
        return area.lowerBound &+ offset
    }

    /// Whether bytes have the hash of the present block of the image.
    @inline(never)
    private mutating func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        // Cannot wrap: the hashes are in the manifest.
        let offset = block &* UInt32(ManifestLayout.blockHashByteCount)
        hash.restart()
        hash.update(bytes)
        return isHash(at: hashesAddress &+ offset, ManifestLayout.blockHashByteCount)
    }

    /// Whether what was hashed has the hash of which so many bytes are in flash.
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

    /// Reads the present block into the buffer.
    private mutating func load() -> UnsafeRawBufferPointer {
        // SAFETY: the buffer has room for two of the longest blocks that are taken.
        let bytes = UnsafeMutableRawBufferPointer(start: buffer, count: byteCount)
        _ = flash.read(address, into: bytes)
        return UnsafeRawBufferPointer(bytes)
    }

    /// How many blocks are erased together, less one: a mask, because a page and a block are powers
    /// of two.
    private var unitMask: UInt32 {
        (layout.pageByteCount &- 1) / UInt32(truncatingIfNeeded: plan.blockByteCount)
    }

    /// Looks whether one block is there. In a page of several, one that is not takes the others
    /// with it: only erasing makes room for it for sure, whatever the page reads as.
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

    /// The bytes of the present block, which arrived.
    private func bytes(_ receiver: borrowing Receiver) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: receiver.start(ofBlock: block), count: byteCount)
    }

    /// The length of the present block.
    private var byteCount: Int {
        min(plan.blockByteCount, Int(truncatingIfNeeded: plan.byteCount &- offset))
    }

    @inline(never)
    private mutating func erasePage() {
        flash.erase(pageAt: page)
        page &+= layout.pageByteCount
    }

    /// Programs the present block, and what is missing to a multiple of what can be programmed as
    /// 0xFF.
    private mutating func program(_ bytes: UnsafeMutableRawPointer, at address: UInt32) {
        let unit = Int(truncatingIfNeeded: layout.writeByteCount)
        // SAFETY: a block that is no multiple of the unit is the last and shorter than the others,
        // and up to their length there is room that nobody reads.
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
        // One that can't be written leaves the one before, and the next goes to the same page.
        record.counter = max(record.counter, counter)
        record.slotAddress = layout.slot.lowerBound
        record.imageByteCount = plan.byteCount
        record.tag = tag.rawValue
        record.imageSHA256 = hash.digest
        record.append(to: &flash)
        return .published
    }
}
