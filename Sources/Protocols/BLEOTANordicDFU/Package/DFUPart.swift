/// One image of a DFU package with its init packet. A device takes one part after another.
package struct DFUPart: Sendable, Hashable {
    /// The kind of image.
    package enum Kind: String, Sendable, Hashable {
        case application
        case softdevice = "SoftDevice"
        case bootloader
        case softdeviceAndBootloader = "SoftDevice and bootloader"
    }

    package let kind: Kind
    /// The bytes by which the device decides whether to take the image.
    package let initPacket: [UInt8]
    package let firmware: [UInt8]
    /// How many bytes of the image are a SoftDevice; they come first.
    package let softdeviceByteCount: Int
    /// How many bytes of the image are a bootloader.
    package let bootloaderByteCount: Int

    package init(
        _ kind: Kind,
        initPacket: [UInt8],
        firmware: [UInt8],
        softdeviceByteCount: Int = 0,
        bootloaderByteCount: Int = 0
    ) {
        self.kind = kind
        self.initPacket = initPacket
        self.firmware = firmware
        self.softdeviceByteCount = softdeviceByteCount
        self.bootloaderByteCount = bootloaderByteCount
    }

    var applicationByteCount: Int { kind == .application ? firmware.count : 0 }
}
