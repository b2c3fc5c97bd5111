import BLEOTACore

/// Access to the flash for the steps of a store.
extension FlashStore {
    var hooks: Hooks { flash.hooks }

    @inline(__always)
    var layout: FlashLayout { flash.layout }

    /// Checks that the record can be read.
    mutating func readRecord() throws(FlashFault) {
        record.readNewest(from: &flash)
        if let fault = flash.fault { throw fault }
    }
}
