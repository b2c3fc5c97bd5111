public import BLEOTACore

/// What a receiver accepts. It is asked when the manifest is whole, before anything of the image is
/// erased or written.
public struct ReceivePolicy: Sendable {
    /// The largest image, in bytes. Default: what the protocol allows.
    public var imageByteCountMax = Int(UInt32.max)
    /// The application's own judgement: a reason to refuse, or `nil`. Default: none.
    public var judge: @Sendable (Manifest) -> Reason? = { _ in nil }

    /// The defaults.
    public init() {}

    func refusal(of manifest: Manifest) -> (reason: Reason, detail: UInt64)? {
        if manifest.imageByteCount > imageByteCountMax {
            return (.tooLarge, UInt64(imageByteCountMax))
        }
        return judge(manifest).map { ($0, 0) }
    }
}
