import BLEOTACore
import BLEOTAManifest

/// What arrived of a manifest, or is there, and what follows from it.
extension FlashStore {
    mutating func judge() -> Outcome {
        guard isManifestThere() else {
            planManifest()
            return .planned
        }
        guard accept(manifest.bytes, record.counter) else { return .refused }
        block = 0
        // What was current in the slot is about to be written over.
        if record.isVerified(in: layout) {
            record.imageByteCount = 0
            record.append(to: &flash)
        }
        return .none
    }

    /// Reads the manifest of the transfer into the buffer.
    ///
    /// - Returns: whether it is there whole.
    mutating func isManifestThere() -> Bool {
        flash.read(layout.manifest.lowerBound, into: manifest)
            && SHA256.digest(of: UnsafeRawBufferPointer(manifest)).tag == tag.rawValue
    }

    /// Where in memory the manifest is as soon as it was read.
    var manifest: UnsafeMutableRawBufferPointer {
        // SAFETY: looking up ended at once where the buffer has no room for it.
        UnsafeMutableRawBufferPointer(
            start: buffer,
            count: Int(truncatingIfNeeded: manifestByteCount)
        )
    }

    @inline(never)
    mutating func planManifest() {
        plan = ObjectPlan(
            .manifest,
            byteCount: manifestByteCount,
            blockByteCount: blockByteCountMax,
            heldIn: heldWords,
            // It is held whole or not at all.
            durableMask: 0
        )
    }

    /// How many blocks an object can have.
    var heldCountMax: Int { heldWords.count &* UInt.bitWidth }

    /// Notes the numbers of an image that is taken, or ``reason`` and ``detail`` why it is not.
    ///
    /// - Returns: whether it is taken.
    @inline(never)
    mutating func accept(_ manifest: RawSpan, _ counterOfRecord: UInt32) -> Bool {
        do throws(ManifestRefusal) {
            try adopt(manifest, counterOfRecord)
            return true
        } catch {
            reason = error.reason
            detail = error.detail
            return false
        }
    }

    private mutating func adopt(
        _ manifest: RawSpan,
        _ counterOfRecord: UInt32
    ) throws(ManifestRefusal) {
        var reading = ManifestReading()
        let policy = DevicePolicy(hooks: hooks, counterOfRecord: counterOfRecord)
        let signedCounter = try reading.signedCounter(in: manifest, by: policy)
        let fields = reading.fields
        try checkRoom(for: fields)
        plan = ObjectPlan(
            .image,
            byteCount: fields.imageByteCount,
            blockByteCount: fields.blockByteCount,
            heldIn: heldWords,
            durableMask: ~(layout.pageByteCount &- 1)
        )
        // Inside of the area, as the manifest is that was read from there.
        hashesAddress =
            layout.manifest.lowerBound
            &+ UInt32(truncatingIfNeeded: fields.attributes.upperBound)
        //= ACCEPT-7: A receiver MUST durably raise the lowest counter it takes to that of a signed
        //= image before it makes the image current, and MUST NOT lower it.
        // One that no trusted key has signed raises nothing: else whoever may write without a
        // signature could lock out every image to come.
        counter = signedCounter
    }

    private func checkRoom(for fields: ManifestFields) throws(ManifestRefusal) {
        let slotByteCount = layout.slot.byteCount
        guard fields.imageByteCount <= slotByteCount else {
            throw ManifestRefusal(.noSpace, detail: UInt64(slotByteCount))
        }
        guard fields.blockCount <= heldCountMax else {
            // Cannot wrap: it is less than the image, and that is no longer than the slot.
            let byteCount = heldCountMax &* fields.blockByteCount
            throw ManifestRefusal(.tooLarge, detail: UInt64(UInt(bitPattern: byteCount)))
        }
        guard fields.blockByteCount <= blockByteCountMax else {
            throw ManifestRefusal(
                .tooLarge,
                detail: UInt64(UInt(bitPattern: blockByteCountMax))
            )
        }
    }
}
