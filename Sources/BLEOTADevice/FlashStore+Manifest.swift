import BLEOTACore

/// What arrived of a manifest, or is there, and what follows from it.
extension FlashStore {
    mutating func judge() -> Outcome {
        guard isManifestThere() else {
            planManifest()
            return .planned
        }
        if let refusal = refusal(of: manifest.bytes, record.counter, by: hooks) {
            return refused(refusal.reason, detail: refusal.detail)
        }
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
        let isThere =
            flash.read(layout.manifest.lowerBound, into: manifest)
            && SHA256.digest(of: UnsafeRawBufferPointer(manifest)).tag == tag.rawValue
        transfer = isThere ? .something : .nothing
        return isThere
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

    /// Why the image is not taken; else its numbers are noted.
    mutating func refusal(
        of manifest: RawSpan,
        _ counterOfRecord: UInt32,
        by hooks: some DeviceHooks
    ) -> ManifestRefusal? {
        do throws(ManifestRefusal) {
            try accept(manifest, counterOfRecord, by: hooks)
            return nil
        } catch { return error }
    }

    private mutating func accept(
        _ manifest: RawSpan,
        _ counterOfRecord: UInt32,
        by hooks: some DeviceHooks
    ) throws(ManifestRefusal) {
        let fields = try Self.fields(of: manifest)
        let policy = DevicePolicy(hooks: hooks, counterOfRecord: counterOfRecord)
        let signedCounter = try fields.signedCounter(in: manifest, by: policy)
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

    private static func fields(of manifest: RawSpan) throws(ManifestRefusal) -> ManifestFields {
        do throws(ManifestError) {
            return try ManifestFields(parsing: manifest)
        } catch {
            if case .unknownAttribute(let type, byteOffset: _) = error {
                throw ManifestRefusal(.unknownAttribute, detail: UInt64(type.rawValue))
            }
            throw ManifestRefusal(.malformedManifest)
        }
    }

    private func checkRoom(for fields: ManifestFields) throws(ManifestRefusal) {
        let slotByteCount = layout.slot.byteCount
        guard fields.imageByteCount <= slotByteCount else {
            throw ManifestRefusal(.noSpace, detail: UInt64(slotByteCount))
        }
        guard fields.blockCount <= heldCountMax else {
            let byteCount =
                UInt64(UInt32(truncatingIfNeeded: heldCountMax))
                * UInt64(UInt32(truncatingIfNeeded: fields.blockByteCount))
            throw ManifestRefusal(.tooLarge, detail: byteCount)
        }
        guard fields.blockByteCount <= blockByteCountMax else {
            throw ManifestRefusal(
                .tooLarge,
                detail: UInt64(UInt32(truncatingIfNeeded: blockByteCountMax))
            )
        }
    }
}
