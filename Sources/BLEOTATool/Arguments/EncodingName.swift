import BLEOTA
import BLEOTAManifest
import BLEOTAWire

/// The name of an encoding for people.
enum EncodingName {
    /// Such as `zlib` or `patch, sealed`; `nil` for an unencoded image.
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
