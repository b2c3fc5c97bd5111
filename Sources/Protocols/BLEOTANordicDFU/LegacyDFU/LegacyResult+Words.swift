extension LegacyResult {
    /// What happened, as a clause after "because".
    func cause(of step: DFUStep) -> String {
        switch self {
        case .invalidState: "its state does not permit it"
        case .notSupported: "it does not support that kind of image"
        case .tooLarge: "the image does not fit into its flash"
        case .wrongCRC: "the image that it received has another CRC than the init packet"
        case .failed where step == .initPacket: "the image is for another device or SoftDevice"
        case .failed: "the operation failed"
        default: "of an error that this release does not know"
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
