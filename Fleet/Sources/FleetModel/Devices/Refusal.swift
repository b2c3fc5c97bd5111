/// The reasons for which a device refuses an image that a gateway offers it, by their names in the
/// protocol's registry (spec/registry.md). A name that isn't here is of a later version.
package enum Refusal: String, Sendable, CaseIterable {
    case version, malformedManifest, unknownAttribute
    case silent, stalled
    case busy, noSpace, storeFailed, tooLarge
    case imageMismatch
    case unsigned, notNow, untrustedKey, badSignature, wrongHardware, wrongComponent, downgrade
    case expired, unsupportedEncoding, wrongBase, wrongRecipient
    case withdrawn, cancelled

    /// Whether the same device refuses the same image again, whenever it is asked and by whom: the
    /// reason lies in what the image says, and in what the device is or was told to accept.
    package var isFinal: Bool {
        switch self {
        // The image isn't for this device.
        case .wrongHardware, .wrongComponent, .wrongRecipient, .wrongBase: true
        // The device doesn't trust it.
        case .unsigned, .untrustedKey, .badSignature, .downgrade, .expired: true
        // The device can't read it.
        case .version, .malformedManifest, .unknownAttribute, .unsupportedEncoding, .tooLarge: true
        // The link or the memory of the device failed, which may go better.
        case .silent, .stalled, .storeFailed, .imageMismatch: false
        // The device does something else, or somebody said no for now. Space may become free.
        case .busy, .notNow, .noSpace, .withdrawn, .cancelled: false
        }
    }
}
