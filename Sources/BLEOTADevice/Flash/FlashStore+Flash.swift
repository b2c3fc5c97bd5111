import BLEOTACore

/// The flash, as the steps of a store use it.
extension FlashStore {
    var hooks: Hooks { flash.hooks }

    @inline(__always)
    var layout: FlashLayout { flash.layout }

    /// Looks whether the record can be read.
    mutating func readRecord() throws(FlashFault) {
        record.readNewest(from: &flash)
        if let fault = flash.fault { throw fault }
    }
}
