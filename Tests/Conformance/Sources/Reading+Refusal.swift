import BLEOTACore
import BLEOTAManifest

extension Reading {
    /// Says what a device answers to a manifest.
    mutating func refusal(_ name: StaticString, _ refusal: ManifestRefusal?) {
        begin(name)
        guard let refusal else { return say("taken") }
        decimal(UInt64(refusal.reason.rawValue))
        say("/")
        hex(refusal.detail)
    }
}
