import BLEOTACore
import BLEOTAWire

extension Reason {
    /// The name in the registry; `nil` for a reason that this release does not recognize.
    package var name: String? { Self.names[self] }

    private static let names: [Reason: String] = [
        .verified: "verified", .version: "version", .malformedAccount: "malformedAccount",
        .noSession: "noSession", .malformedManifest: "malformedManifest",
        .unknownAttribute: "unknownAttribute", .silent: "silent", .stalled: "stalled",
        .busy: "busy", .noSpace: "noSpace", .storeFailed: "storeFailed", .tooLarge: "tooLarge",
        .sourceFailed: "sourceFailed", .manifestMismatch: "manifestMismatch",
        .blockMismatch: "blockMismatch", .imageMismatch: "imageMismatch", .unsigned: "unsigned",
        .notNow: "notNow", .untrustedKey: "untrustedKey", .badSignature: "badSignature",
        .wrongHardware: "wrongHardware", .wrongComponent: "wrongComponent",
        .downgrade: "downgrade", .expired: "expired",
        .unsupportedEncoding: "unsupportedEncoding", .wrongBase: "wrongBase",
        .wrongRecipient: "wrongRecipient", .mostlyHeld: "mostlyHeld",
        .noSuchObject: "noSuchObject", .cancelled: "cancelled", .withdrawn: "withdrawn",
    ]
}
