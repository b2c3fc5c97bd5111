import BLEOTA
import BLEOTAManifest
import BLEOTAWire

/// What people call an encoding.
enum EncodingName {
    /// As `zlib` or `patch, sealed`; `nil` for an image as it is.
    static func text(_ compression: Compression, isSealed: Bool) -> String? {
        let name: String? =
            switch compression {
            case .none: nil
            case .zlib: "zlib"
            case .patch: "patch"
            default: "compression \(compression.rawValue)"
            }
        guard isSealed else { return name }
        return name.map { $0 + ", sealed" } ?? "sealed"
    }
}
