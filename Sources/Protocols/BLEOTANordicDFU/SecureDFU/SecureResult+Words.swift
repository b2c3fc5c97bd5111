extension SecureResult {
    private typealias Words = (cause: String, remedy: String)

    /// What happened, as a clause after "because".
    var cause: String { words.cause }

    /// What to do, as a clause after a semicolon.
    var remedy: String { words.remedy }

    private var words: Words {
        let known = extendedCode.map { Self.extended[$0] } ?? Self.plain[code]
        return known
            ?? ("of an error unknown to this release", Self.otherRemedy)
    }

    private static let otherRemedy = "check that the package is for this device"
    private static let signing = "sign the package with the key of the device's bootloader"

    private static let plain: [UInt8: Words] = [
        Code.notSupported: ("it does not support the request", "update its bootloader"),
        Code.invalidParameter: ("it found the request invalid", otherRemedy),
        Code.insufficientResources: ("it has no room for that", "build a smaller image"),
        Code.invalidObject: (
            "the image is not for it, or is signed with a key that it does not trust", signing
        ),
        Code.unsupportedType: ("it does not support that kind of image", otherRemedy),
        Code.notPermitted: ("its state does not permit that", "restart the device, then try again"),
        Code.failed: ("the operation failed", "restart the device, then try again"),
        Code.extended: ("of an error that it does not specify", otherRemedy),
    ]

    /// The words for extended codes. Source: nRF5 SDK, "DFU result codes".
    private static let extended: [UInt8: Words] = [
        0x02: ("it can't read the request", "update its bootloader"),
        0x03: ("it does not support the command in the init packet", "update its bootloader"),
        0x04: (
            "the init packet is invalid or lacks a field",
            "build the package again, with all versions stated"
        ),
        0x05: (
            "the version of the image is too low", "build the package with a higher version"
        ),
        0x06: (
            "the image is for another hardware version",
            "build the package with the hardware version of the device"
        ),
        0x07: (
            "the image needs another SoftDevice",
            "build the package for the device's SoftDevice, or with a SoftDevice in it"
        ),
        0x08: ("the package is not signed", signing),
        0x09: (
            "it does not support the kind of hash in the init packet", "build the package again"
        ),
        0x0A: ("it could not compute the hash of the image", "try again"),
        0x0B: ("it does not support the kind of signature in the init packet", signing),
        0x0C: (
            "the hash of the image that it received does not match the one in the init packet",
            "build the package again"
        ),
        0x0D: ("the image does not fit in its flash", "build a smaller image"),
        0x0E: ("it already has this image", "push a newer image"),
    ]
}
