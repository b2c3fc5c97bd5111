extension LegacyResult {
    /// What happened, as a clause after "because".
    func cause(of step: DFUStep) -> String {
        switch self {
        case .invalidState: "its state does not permit that"
        case .notSupported: "it does not support that kind of image"
        case .tooLarge: "the image does not fit in its flash"
        case .wrongCRC:
            "the CRC of the image that it received does not match the one in the init packet"
        case .failed where step == .initPacket: "the image is for another device or SoftDevice"
        case .failed: "the operation failed"
        default: "of an error unknown to this release"
        }
    }

    /// What to do, as a clause after a semicolon.
    func remedy(of step: DFUStep) -> String {
        switch self {
        case .invalidState: "restart the device, then try again"
        case .tooLarge: "build a smaller image"
        case .wrongCRC: "try again"
        case .failed where step == .initPacket:
            "build the package with the device type and the SoftDevice of the device"
        default: "check that the package is for this device"
        }
    }
}
