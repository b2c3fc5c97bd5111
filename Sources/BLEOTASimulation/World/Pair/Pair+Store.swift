import BLEOTACore
import BLEOTAHost

extension Pair {
    /// Starts the store's next task if the store is idle.
    func startStore() {
        guard storeWork == nil else { return }
        let job = receiver?.jobs.first
        let isOld = job.map { $0.ticket != receiver?.machine.ticket } ?? false
        guard
            let time = store.begin(job?.task, bytes: job?.bytes ?? [], isOld: isOld)
        else { return }
        if job != nil { receiver?.jobs.removeFirst() }
        if case .publish? = job?.task, imageStoredAt == nil { imageStoredAt = now }
        storeWork = StoreWork(job: job, device: deviceNumber, beganAt: now)
        awaitStoreStep(time)
    }

    private func awaitStoreStep(_ time: Microseconds) {
        storeStepNumber += 1
        storeWork?.beganAt = now
        if let (number, operation) = store.flashOperation {
            flashOperationCount = number + 1
            trace.note("  flash operation \(number): \(FrameDescription.of(operation))", at: now)
            cutPower(inOperation: number, taking: time)
        }
        queue.put(.storeStepDone(number: storeStepNumber), at: now + time)
    }

    /// Cuts the power during one flash operation, if the scenario requires it. A cut at the very
    /// end leaves the operation complete, but its completion is not reported.
    private func cutPower(inOperation number: Int, taking time: Microseconds) {
        guard let cut = scenario.flashCut, cut.operation == number else { return }
        let span = Microseconds(Int64(Double(time.rawValue) * cut.share))
        queue.put(.interruption(.restartReceiver), at: now + span)
    }

    func storeStepDone() {
        guard let work = storeWork else { return }
        // Tasks of an ended session are ignored, except for a release.
        let isOld = work.device != deviceNumber || work.job?.ticket != receiver?.machine.ticket
        switch store.finishStep(isOld: isOld, isHealed: isHealed) {
        case .goesOn(let time): awaitStoreStep(time)
        case .ended(let answer):
            storeWork = nil
            if let job = work.job, let answer, !isOld { hand(answer, to: job) }
            checkCurrent()
            startStore()
        }
        drainReceiver()
    }

    private func hand(_ answer: StorageAnswer, to job: ReceiverEnd.Job) {
        trace.note("  store \(job.task): \(FrameDescription.of(answer))", at: now)
        receiver?.machine.handle(answer, for: job.ticket, at: now)
        if case .rejected = answer { receiver?.dropWrites(for: job.ticket) }
        if case .write(let object, _) = job.task {
            // Written blocks are synced after a certain number of them, or after half a second.
            let span = store.takeSyncWanted() ?? .milliseconds(500)
            queue.put(.synced(object, job.ticket, device: deviceNumber), at: now + span)
        }
    }

    /// Cuts the power of the device. Everything durable must survive, and one of the two images
    /// must be current and complete.
    func losePower() {
        let durable = [ObjectID.manifest, .image].map(store.durableByteCount)
        store.losePower(after: storeWork.map { now - $0.beganAt })
        storeWork = nil
        storeStepNumber += 1
        let kept = [ObjectID.manifest, .image].map(store.durableByteCount)
        if store.current == current, zip(durable, kept).contains(where: { $0 > $1 }) {
            fail("\(durable) bytes were durable, but after a power cut \(kept) are left")
        }
        if !store.holdsNothing(butBlocksOf: transfer.image) {
            fail("a block torn by a power cut is treated as complete")
        }
        checkCurrent()
    }

    /// Checks that the current image is either unchanged or the transferred one.
    private func checkCurrent() {
        if store.current != current, store.current != transfer.image {
            fail("a wrong image became current")
        }
        current = store.current
    }
}
