import BLEOTACore

/// The flash, as the steps of a store use it.
extension FlashStore {
    var hooks: Hooks { flash.hooks }

    @inline(__always)
    var layout: FlashLayout { flash.layout }

    /// What failed in a step; then nothing is under way any more, and the answer is to refuse.
    mutating func takeFault() -> FlashFault? {
        guard let fault = flash.fault else { return nil }
        flash.fault = nil
        _ = refused(.storeFailed)
        return fault
    }

    /// Looks whether the record can be read.
    mutating func readRecord() throws(FlashFault) {
        var record = SlotRecord()
        record.readNewest(from: &flash)
        if let fault = flash.fault { throw fault }
    }
}
