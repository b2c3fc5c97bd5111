import BLEOTA
import BLEOTAManifest
import BLEOTAWire

/// The names of encodings in output.
enum EncodingName {
    /// A name such as `zlib` or `patch, sealed`; `nil` for an image that is not encoded.
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
