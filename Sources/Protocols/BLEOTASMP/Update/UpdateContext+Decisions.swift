import BLEOTA
import BLEOTACore

/// Decides the next step of an update from the list of the device's images.
extension UpdateContext {
    private var image: Int { plan.announcement.imageNumber }

    /// Decides what is left to do, according to the list before the upload.
    mutating func inspected(
        _ list: ImageList,
        at now: Instant
    ) throws(SMPFailure) -> UpdatePhase {
        let active = list.active(image: image)
        if let active, active.hash == plan.imageHash { return running(active, at: now) }
        let spare = list.spare(image: image)
        if spare.isEmpty, active == nil, image > 0 { throw .noSlot(image: image) }
        if let there = spare.first(where: { $0.hash == plan.imageHash }) {
            if counters.requestCount == 0 { notes.append(.alreadyUploaded) }
            counters.resumedFromByte = counters.resumedFromByte ?? plan.announcement.imageByteCount
            return uploaded(there, at: now)
        }
        try protectTrial(active, spare)
        return ask(.slotInfo, .sizing, at: now)
    }

    /// Checks the sizes of the slots, so an image that is too large is refused before the upload.
    /// Zephyr itself does not count the room for the trailer of the slot.
    mutating func sized(_ sizes: SlotSizes?, at now: Instant) throws(SMPFailure) -> UpdatePhase {
        let byteCount = plan.announcement.imageByteCount
        if let limit = sizes?.imageByteCountMax(image: image), byteCount > limit {
            throw .tooLarge(slotByteCount: limit)
        }
        return .uploading(
            Uploader(
                plan.announcement,
                limits: limits,
                silenceLimit: plan.silenceLimit,
                progressLimit: plan.progressLimit,
                isReliable: link.isReliable,
                after: counters.furthestOffset,
                sentBefore: counters.furthestSent,
                at: now
            )
        )
    }

    /// Throws an error if the upload would overwrite the image that is to be tried, or the one to
    /// return to. Zephyr does not protect these images.
    private func protectTrial(
        _ active: ImageList.Slot?,
        _ spare: [ImageList.Slot]
    ) throws(SMPFailure) {
        if plan.isForced { return }
        if let pending = spare.first(where: { $0.isPending }) {
            throw .pending(version: pending.version)
        }
        // If there is no image to return to, an upload during the trial destroys nothing.
        if let active, !active.isConfirmed, !spare.isEmpty {
            throw .onTrial(version: active.version)
        }
    }

    /// Checks the list after the upload.
    mutating func verified(
        _ list: ImageList,
        at now: Instant
    ) throws(SMPFailure) -> UpdatePhase {
        let found = list.spare(image: image).first { $0.hash == plan.imageHash }
        guard let found else { throw .wrongImage }
        return uploaded(found, at: now)
    }

    /// Decides how to continue once the device has the image in a spare slot.
    private mutating func uploaded(_ slot: ImageList.Slot, at now: Instant) -> UpdatePhase {
        notes.append(.verified)
        switch plan.activation {
        case .keep: return finished(.stored)
        case .test, .testThenConfirm:
            if slot.isPermanent { notes.append(.withoutTrial) }
            if slot.isPending { return restarting(at: now) }
            return ask(.setState(hash: plan.imageHash, isForGood: false), .marking, at: now)
        case .confirm:
            if slot.isPermanent { return restarting(at: now) }
            return ask(.setState(hash: plan.imageHash, isForGood: true), .marking, at: now)
        }
    }

    mutating func restarting(at now: Instant) -> UpdatePhase {
        notes.append(.resetting)
        return ask(.reset(isForced: false), .resetting, at: now)
    }

    /// Checks the list after the restart.
    mutating func readBack(
        _ list: ImageList,
        at now: Instant
    ) throws(SMPFailure) -> UpdatePhase {
        guard let active = list.active(image: image) else { throw .notSwapped }
        if active.hash == plan.imageHash { return running(active, at: now) }
        let isPending = list.slots.contains { $0.hash == plan.imageHash && $0.isPending }
        throw isPending ? .notSwapped : .reverted(version: active.version)
    }

    /// Decides how to continue once the device runs the image.
    private mutating func running(_ active: ImageList.Slot, at now: Instant) -> UpdatePhase {
        if active.isConfirmed {
            if restartedAt == nil { return finished(.alreadyRunning) }
            return finished(.confirmed, noting: .confirmed)
        }
        if plan.awaitsConfirmation {
            if !hasToldOfTrial { notes.append(.onTrial) }
            hasToldOfTrial = true
            restartedAt = restartedAt ?? now
            return .awaitingConfirmation(askAt: now + SMPUpdate.questionPause)
        }
        notes.append(.onTrial)
        if plan.activation == .test || plan.activation == .keep { return finished(.onTrial) }
        return ask(.setState(hash: plan.imageHash, isForGood: true), .confirming, at: now)
    }
}
