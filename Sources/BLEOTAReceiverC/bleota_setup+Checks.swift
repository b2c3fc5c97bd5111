import BLEOTADevice
import BLEOTAManifest
import CBLEOTAReceiver

/// Sizes that do not fit in an `Int` of 32 bits become negative here and so are out of range.
extension bleota_setup {
    /// The division of the receiver's memory, provided that the setup is valid.
    var memoryPlan: DeviceMemory.Plan {
        DeviceMemory.Plan(
            blockByteCount: block_byte_count_max == 0
                ? ManifestLayout.storageBlockByteCount
                : Int(truncatingIfNeeded: block_byte_count_max),
            slotByteCount: Int(truncatingIfNeeded: flash.slot_byte_count)
        )
    }

    private var controlByteCountMax: Int {
        control_byte_count_max == 0
            ? ControlFrame.byteCountMin : Int(truncatingIfNeeded: control_byte_count_max)
    }

    /// The receiver options that the setup specifies.
    var options: ReceiverOptions {
        var options = ReceiverOptions()
        options.controlByteCountMax = controlByteCountMax
        options.firstEpoch = Epoch(first_epoch)
        return options
    }

    /// The error in the setup, or `BLEOTA_OK` if the setup is valid.
    var error: bleota_error {
        let plan = memoryPlan
        guard hooks.read != nil, hooks.write != nil, hooks.erase != nil, hooks.send != nil,
            hooks.now != nil, (hooks.trusts == nil) == (hooks.verify == nil)
        else { return BLEOTA_HOOK_MISSING }
        guard plan.isValid,
            (ControlFrame.byteCountMin...ReceiverControl.byteCountMax)
                .contains(controlByteCountMax)
        else { return BLEOTA_SETUP_INVALID }
        return layout.isValid ? BLEOTA_OK : BLEOTA_FLASH_INVALID
    }

    /// The layout of the flash, which may be invalid. Inlined, so that a caller reads only the
    /// members of the setup that it uses.
    @inline(__always)
    var layout: FlashLayout {
        FlashLayout(
            unchecked: flash.page_byte_count,
            writeByteCount: flash.write_byte_count,
            slot: (flash.slot_address, flash.slot_byte_count),
            manifest: (flash.manifest_address, flash.manifest_byte_count),
            recordAddress: flash.record_address
        )
    }
}

/// The limits of control frames from section 6.3 of the specification.
enum ControlFrame {
    /// The frame length in bytes that every link supports.
    static var byteCountMin: Int { 18 }
}
