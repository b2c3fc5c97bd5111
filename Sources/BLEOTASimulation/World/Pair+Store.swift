import BLEOTACore

extension Pair {
    func startStore() {
        guard !isStoreBusy, let receiver, let job = receiver.jobs.first else { return }
        isStoreBusy = true
        queue.put(.storeDone(device: deviceNumber), at: now + store.duration(of: job.task))
    }

    func storeDone() {
        guard let receiver, !receiver.jobs.isEmpty else { return }
        isStoreBusy = false
        let job = receiver.jobs.removeFirst()
        // What an ended session wanted written is of no interest, except that it lets go.
        let isOld = job.ticket != receiver.machine.ticket
        if case .release = job.task {
            _ = store.perform(job.task, bytes: [], isHealed: isHealed)
        } else if !isOld, let answer = store.perform(job.task, bytes: job.bytes, isHealed: isHealed)
        {
            trace.note("  store \(job.task): \(FrameDescription.of(answer))", at: now)
            receiver.machine.handle(answer, for: job.ticket, at: now)
            if case .write(let object, _) = job.task {
                // What is written is synced after so many blocks, or in half a second.
                let span = store.takeSyncWanted() ?? .milliseconds(500)
                queue.put(.synced(object, job.ticket, device: deviceNumber), at: now + span)
            }
        }
        if let current = store.current, current != transfer.image {
            fail("a wrong image was made current")
        }
        startStore()
        drainReceiver()
    }
}
