import BLEOTACore
import BLEOTAHost
import BLEOTAWire
import Glibc

/// Performs a receiver's storage tasks one after another. Between tasks, it keeps the manifest and
/// records which blocks of the object are written and durable.
struct StoreWorker {
    /// How many bytes may be written before a flush; spec/notes.md has the arithmetic.
    static var unsynchronizedByteCountMax: Int { 1 << 17 }

    private let store: any ImageStore
    private let policy: AcceptancePolicy
    /// The session's turn at the store; `nil` if no other session can use the store.
    private let turn: StoreTurn?
    private let onEvent: @Sendable (ReceiverEvent.Kind) -> Void
    private var transfer: (tag: TransferTag, manifestByteCount: Int)?
    /// Whether the store has a transfer open for this worker. If the store answered *busy*, it has
    /// a transfer open for another session, which this worker must not release.
    private var isOpen = false
    private var manifest: Manifest?
    private var object = ObjectID.manifest
    private var objectByteCount = 0
    private var blockByteCount = ObjectPlan.manifestBlockByteCount
    private var isWritten: [Bool] = []
    /// The number of blocks before the first missing one.
    private var writtenPrefix = 0
    private(set) var unsynchronizedByteCount = 0
    /// Whether the session has stored any bytes.
    private var hasWritten = false
    private var flush: StoreFlush?
    private var durableByteCount = 0
    /// The block maps that the receiver may still read: those of the current and the previous plan.
    private(set) var maps: [BlockMapMemory] = []
    private var meter: ProgressMeter?
    /// Whether the application has been informed that the session ended. Blocks received before the
    /// end are still written, but do not count as progress of the session.
    private var hasEnded = false
    /// The last error of the store.
    private(set) var error: StoreError?

    init(
        _ store: any ImageStore,
        policy: AcceptancePolicy,
        turn: StoreTurn? = nil,
        onEvent: @escaping @Sendable (ReceiverEvent.Kind) -> Void
    ) {
        self.store = store
        self.policy = policy
        self.turn = turn
        self.onEvent = onEvent
    }

    /// Performs one task. Returns `nil` if the task has no answer.
    mutating func perform(_ task: StorageTask, bytes: [UInt8]) async -> StorageAnswer? {
        // Only writes may overlap a flush. Other tasks wait for the flush and ignore its answer:
        // after a failed flush nothing in the file can become durable, so these tasks fail too.
        if case .write = task {} else { _ = await endFlush(waiting: true) }
        do throws(StoreError) {
            switch task {
            case .lookUp(let tag, let manifestByteCount):
                return try await lookUp(tag, Int(manifestByteCount))
            case .write(let object, let block):
                return try await write(bytes, object, block)
            case .judge: return try await judge()
            case .publish: return try await publish()
            case .release(let discarding):
                await release(discarding: discarding)
                return nil
            }
        } catch {
            self.error = error
            return .refused(error.reason, detail: error.detail)
        }
    }

    /// Starts a flush of the written bytes, unless one is in progress.
    mutating func beginFlush(for ticket: StorageTicket, then wakeup: AsyncSignal) {
        guard unsynchronizedByteCount > 0, flush == nil else { return }
        unsynchronizedByteCount = 0
        flush = StoreFlush(
            of: store,
            durableByteCount: writtenByteCount,
            for: ticket,
            then: wakeup
        )
    }

    /// Completes the flush in progress, and returns the new durable byte count or the error.
    ///
    /// - Parameter waiting: whether to wait for the flush. If false, the result is `nil` while the
    ///   flush is in progress.
    mutating func endFlush(
        waiting: Bool
    ) async -> (answer: StorageAnswer, ticket: StorageTicket)? {
        guard let flush, waiting || flush.hasEnded else { return nil }
        let failure = await flush.failure
        self.flush = nil
        if let failure {
            error = failure
            return (.refused(failure.reason, detail: failure.detail), flush.ticket)
        }
        durableByteCount = flush.durableByteCount
        return (.durable(byteCount: UInt32(durableByteCount)), flush.ticket)
    }

    private var writtenByteCount: Int { min(writtenPrefix * blockByteCount, objectByteCount) }

    private mutating func lookUp(
        _ tag: TransferTag,
        _ manifestByteCount: Int
    ) async throws(StoreError) -> StorageAnswer {
        error = nil
        transfer = (tag, manifestByteCount)
        switch try await open(tag, manifestByteCount) {
        case .manifest(let blockCount):
            return .planned(plan(manifestWithBlocks: blockCount))
        case .image(let manifest, let held): return try await judgeAgain(manifest, held)
        case .decoded(let manifest):
            let held = Array(repeating: true, count: manifest.blockCount)
            return try await judgeAgain(manifest, held, isDecoded: true)
        case .current(let stored):
            // The policy accepted this image when it arrived, but may have changed since. A
            // receiver that no longer trusts the signer must not report the image as installable.
            // The encoding in which the image arrived no longer matters.
            let status = try await store.status()
            if let refusal = policy.refusal(ofCurrent: stored, for: status) {
                throw .refused(refusal)
            }
            onEvent(.alreadyCurrent(stored))
            return .alreadyCurrent(digestPrefix: stored.manifest.receipt)
        }
    }

    //= ACCEPT-8: If a receiver already holds the manifest, it MUST judge the manifest again in
    //= every session, before it asks for any part of the image or makes the image current.
    /// Judges a held manifest again. The manifest was accepted when the transfer began, perhaps
    /// long ago, so its counter may be too low by now.
    private mutating func judgeAgain(
        _ manifest: Manifest,
        _ held: [Bool],
        isDecoded: Bool = false
    ) async throws(StoreError) -> StorageAnswer {
        let status = try await store.status()
        if let refusal = policy.refusal(of: manifest, for: status, isDecoded: isDecoded) {
            throw .refused(refusal)
        }
        turn?.accepted(isTrusted: policy.isTrusted(manifest))
        return .planned(plan(manifest, held))
    }

    private mutating func open(
        _ tag: TransferTag,
        _ manifestByteCount: Int
    ) async throws(StoreError) -> ResumeState {
        // Another session of the same peer needs another turn, so that waiting peers come first.
        await release(discarding: false)
        if let turn, !(await turn.take()) { throw .heldByAnotherPeer }
        do throws(StoreError) {
            let held = try await store.open(tag, manifestByteCount: manifestByteCount)
            if case .current = held { turn?.giveBack() } else { isOpen = true }
            return held
        } catch {
            isOpen = error.code != .busy
            if !isOpen { turn?.giveBack() }
            throw error
        }
    }

    private mutating func write(
        _ bytes: [UInt8],
        _ object: ObjectID,
        _ block: Int
    ) async throws(StoreError) -> StorageAnswer {
        //= OBJ-4: A receiver MUST check each block of object 1 against its hash in the manifest
        //= before it writes the block.
        if object == .image, let manifest,
            !manifest.matches(bytes.span.bytes, blockIndex: block)
        {
            return .rejected(block: block)
        }
        try await store.write(bytes, object: object, blockIndex: block)
        isWritten[block] = true
        hasWritten = true
        while writtenPrefix < isWritten.count, isWritten[writtenPrefix] { writtenPrefix += 1 }
        unsynchronizedByteCount += bytes.count
        return .stored(block: block)
    }

    private mutating func judge() async throws(StoreError) -> StorageAnswer {
        try await store.synchronize()
        unsynchronizedByteCount = 0
        let (policy, status) = (policy, try await store.status())
        do throws(StoreError) {
            let (manifest, held) = try await store.acceptManifest(
                unless: { policy.refusal(of: $0, for: status) },
                preferring: policy.isTrusted
            )
            turn?.accepted(isTrusted: policy.isTrusted(manifest))
            return .planned(plan(manifest, held))
        } catch {
            guard error.code == .manifestMismatch else { throw error }
            return .manifestMismatch(plan(manifestWithBlocks: 0))
        }
    }

    private mutating func publish() async throws(StoreError) -> StorageAnswer {
        try await raiseCounter()
        do throws(StoreError) {
            let stored = try await store.publish(decodedBy: policy.decoder)
            unsynchronizedByteCount = 0
            durableByteCount = objectByteCount
            isOpen = false
            turn?.giveBack()
            // Report full progress first, so that a progress bar is full before the image is
            // announced.
            reportProgress(at: MonotonicClock.ofProcess.now)
            onEvent(.stored(stored))
            return .published(digestPrefix: stored.manifest.receipt)
        } catch {
            // After an image mismatch, the store has already released this transfer, and may
            // hold the transfer of another session.
            if error.code == .imageMismatch {
                isOpen = false
                turn?.giveBack()
                unsynchronizedByteCount = 0
                manifest = nil
            }
            // If the disk failed, look the transfer up again: blocks that can't be read back are
            // then missing, and a persistent fault shows up in the lookup.
            guard case .storeFailed(let errno) = error.code, !Self.isOfName(errno) else {
                throw error
            }
            await release(discarding: false)
            return .lookUpAgain
        }
    }

    /// Whether the error means that a name in the store is missing or belongs to something else. In
    /// that case, another lookup of the blocks would not help, and would end the session as *image
    /// mismatch*.
    private static func isOfName(_ errno: Int32) -> Bool {
        [ENOENT, ENOTDIR, EISDIR, EEXIST, ENOTEMPTY].contains(errno)
    }

    //= ACCEPT-7: Before a receiver makes current an image that a trusted key has signed, it MUST
    //= durably raise its lowest accepted counter to the counter of that image. It MUST NOT lower
    //= this counter.
    /// Only an image that a trusted key has signed raises the counter. Otherwise, anyone who may
    /// send unsigned images could make the receiver refuse all later images.
    private func raiseCounter() async throws(StoreError) {
        guard let manifest, let counter = manifest.counter, policy.isTrusted(manifest) else {
            return
        }
        try await store.raiseCounter(to: counter)
    }

    private mutating func release(discarding: Bool) async {
        guard isOpen else { return }
        isOpen = false
        if unsynchronizedByteCount > 0 { try? await store.synchronize() }
        unsynchronizedByteCount = 0
        if discarding, !isKept { await store.discard() } else { await store.release() }
        turn?.giveBack()
        manifest = nil
        hasWritten = false
    }

    //= END-9: If a trusted key has signed the manifest of a transfer, and the receiver has stored
    //= no block of either object in this session, it SHOULD NOT forget the transfer because of
    //= *withdrawn*.
    private var isKept: Bool { !hasWritten && manifest.map(policy.isTrusted) ?? false }

    // MARK: - Plans

    private mutating func plan(manifestWithBlocks heldCount: Int) -> ObjectPlan {
        let byteCount = transfer?.manifestByteCount ?? 0
        let blockCount = ObjectPlan.blockCount(
            UInt32(byteCount),
            ObjectPlan.manifestBlockByteCount
        )
        return begin(
            .manifest,
            byteCount: byteCount,
            blockByteCount: ObjectPlan.manifestBlockByteCount,
            held: (0..<blockCount).map { $0 < heldCount }
        )
    }

    private mutating func plan(_ manifest: Manifest, _ held: [Bool]) -> ObjectPlan {
        self.manifest = manifest
        let plan = begin(
            .image,
            byteCount: manifest.imageByteCount,
            blockByteCount: manifest.blockByteCount,
            held: held
        )
        hasEnded = false
        onEvent(.started(manifest, resumedFromByte: durableByteCount))
        return plan
    }

    private mutating func begin(
        _ object: ObjectID,
        byteCount: Int,
        blockByteCount: Int,
        held: [Bool]
    ) -> ObjectPlan {
        self.object = object
        objectByteCount = byteCount
        self.blockByteCount = blockByteCount
        isWritten = held
        writtenPrefix = held.firstIndex(of: false) ?? held.count
        durableByteCount = writtenByteCount
        let memory = BlockMapMemory(held: held)
        maps = maps.suffix(1) + [memory]
        return ObjectPlan(
            object: object,
            byteCount: UInt32(byteCount),
            blockByteCount: blockByteCount,
            held: memory.map
        )
    }

    /// Reports to the application that the session ended.
    mutating func reportEnding(_ ending: SessionEnding) {
        hasEnded = true
        onEvent(.ended(TransferError(sessionEndedBy: ending, error)))
    }

    /// Reports the image's progress to the application.
    mutating func reportProgress(at now: Instant) {
        guard object == .image, manifest != nil, !hasEnded else {
            meter = nil
            return
        }
        if meter == nil { meter = ProgressMeter(totalByteCount: objectByteCount) }
        let taken = meter?.take(
            durableByteCount: durableByteCount,
            dataFramesSent: 0,
            dataFramesResent: 0,
            at: now
        )
        if let taken { onEvent(.progress(taken)) }
    }
}
