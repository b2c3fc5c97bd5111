import BLEOTADevice
import BLEOTAManifest
import CBLEOTAReceiver

/// What is no `Int` where that has 32 bits is negative here, and so out of its range as well.
extension bleota_setup {
    /// What its receiver's memory is cut into, if the setup is right.
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

    /// What its receiver can choose.
    var options: ReceiverOptions {
        var options = ReceiverOptions()
        options.controlByteCountMax = controlByteCountMax
        options.firstEpoch = Epoch(first_epoch)
        return options
    }

    /// What is wrong with it; `BLEOTA_OK` if nothing is.
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

    /// The layout of its flash, which may not be valid. Inlined, so that of a layout nothing is
    /// read but what is asked for.
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

/// What section 6.3 of the specification says of links.
enum ControlFrame {
    /// What any link carries.
    static var byteCountMin: Int { 18 }
}
