import BLEOTACore
import BLEOTAManifest

@testable import BLEOTA

/// A store that decodes nothing.
final class PlainStore: WrappedStore {
    let base = MemoryStore()
    private let isAttributeUnknown: Bool

    /// - Parameter attributeUnknown: whether it does not even know what an encoding is.
    init(attributeUnknown: Bool) { isAttributeUnknown = attributeUnknown }

    func status() async throws(StoreError) -> StoreStatus { StoreStatus(counter: 0) }

    func acceptManifest(
        unless refusal: @Sendable (Manifest) -> ManifestRefusal?,
        preferring isTrusted: @Sendable (Manifest) -> Bool
    ) async throws(StoreError) -> (manifest: Manifest, held: [Bool]) {
        let isAttributeUnknown = isAttributeUnknown
        return try await base.acceptManifest(
            unless: { manifest in
                guard isAttributeUnknown, manifest.encoding != nil else { return refusal(manifest) }
                return ManifestRefusal(.unknownAttribute, detail: 0x85)
            },
            preferring: isTrusted
        )
    }
}
