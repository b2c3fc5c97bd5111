import BLEOTACore
import BLEOTAManifest

/// The manifest: whether it is complete, whether it is acceptable, and the plan that follows
/// from it.
extension FlashStore {
    mutating func judge() -> Outcome {
        guard isManifestThere() else {
            planManifest()
            return .planned
        }
        guard accept(manifest.bytes, record.counter) else { return .refused }
        block = 0
        // The previous image in the slot is about to be overwritten.
        if record.isVerified(in: layout) {
            record.imageByteCount = 0
            record.append(to: &flash)
        }
        return .none
    }

    /// Reads the manifest of the transfer into the buffer.
    ///
    /// - Returns: whether the whole manifest is in the flash.
    mutating func isManifestThere() -> Bool {
        flash.read(layout.manifest.lowerBound, into: manifest)
            && SHA256.digest(of: UnsafeRawBufferPointer(manifest)).tag == tag.rawValue
    }

    /// The memory that holds the manifest after it has been read.
    var manifest: UnsafeMutableRawBufferPointer {
        // SAFETY: the lookup fails if the buffer has no room for the manifest.
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
            // The manifest is held completely or not at all.
            durableMask: 0
        )
    }

    /// The maximum number of blocks that an object can have.
    var heldCountMax: Int { heldWords.count &* UInt.bitWidth }

    /// Records the properties of an acceptable image. For any other image, sets ``reason`` and
    /// ``detail``.
    ///
    /// - Returns: whether the image is acceptable.
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
        // The address is in the area, because the manifest was read from there.
        hashesAddress =
            layout.manifest.lowerBound
            &+ UInt32(truncatingIfNeeded: fields.attributes.upperBound)
        //= ACCEPT-7: Before a receiver makes current an image that a trusted key has signed, it
        //= MUST durably raise its lowest accepted counter to the counter of that image. It MUST
        //= NOT lower this counter.
        // An image without a trusted signature must not raise the counter. Otherwise, anyone
        // who can write without a signature could lock out all later images.
        counter = signedCounter
    }

    private func checkRoom(for fields: ManifestFields) throws(ManifestRefusal) {
        let slotByteCount = layout.slot.byteCount
        guard fields.imageByteCount <= slotByteCount else {
            throw ManifestRefusal(.noSpace, detail: UInt64(slotByteCount))
        }
        guard fields.blockCount <= heldCountMax else {
            // This can't overflow: the product is less than the length of the image, which fits
            // in the slot.
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
