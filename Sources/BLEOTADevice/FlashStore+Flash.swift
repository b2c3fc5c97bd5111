import BLEOTACore

/// The flash, as the steps of a store use it: once a hook failed, nothing more is asked of it until
/// the fault is taken. So a step goes on to its end without a look after each call, and does no
/// harm.
extension FlashStore {
    /// What failed in a step; then nothing is under way any more, and the answer is to refuse.
    mutating func takeFault() -> FlashFault? {
        guard let fault else { return nil }
        self.fault = nil
        _ = refused(.storeFailed)
        return fault
    }

    /// - Returns: whether it is done.
    @inline(never)
    mutating func read(_ address: UInt32, into bytes: UnsafeMutableRawBufferPointer) -> Bool {
        guard fault == nil else { return false }
        do throws(FlashFault) {
            try hooks.read(address, into: bytes)
            return true
        } catch {
            fault = error
            return false
        }
    }

    @inline(never)
    mutating func write(_ bytes: UnsafeRawBufferPointer, at address: UInt32) {
        guard fault == nil else { return }
        do throws(FlashFault) { try hooks.write(bytes, at: address) } catch { fault = error }
    }

    @inline(never)
    mutating func erase(pageAt address: UInt32) {
        guard fault == nil else { return }
        do throws(FlashFault) { try hooks.erase(pageAt: address) } catch { fault = error }
    }

    /// Reads the newest record; as if there never was one, where that fails.
    @inline(never)
    mutating func read(_ record: inout SlotRecord) {
        guard fault == nil else { return record.clear() }
        do throws(FlashFault) {
            try record.readNewest(in: layout, of: hooks)
        } catch {
            record.clear()
            fault = error
        }
    }

    /// Makes a record the newest.
    @inline(never)
    mutating func append(_ record: inout SlotRecord) {
        guard fault == nil else { return }
        do throws(FlashFault) {
            try record.append(to: layout, of: hooks)
        } catch { fault = error }
    }
}
