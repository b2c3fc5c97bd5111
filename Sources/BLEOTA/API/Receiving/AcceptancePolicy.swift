import BLEOTACore
package import BLEOTAManifest
import BLEOTAWire

/// What a receiver accepts. It is asked when the manifest is whole, before anything of the image is
/// erased or written, and again when a transfer goes on that was begun before
/// (spec/bleota.md, section 4.4).
///
/// ```swift
/// var policy = AcceptancePolicy()
/// policy.trustedKeys = [try KeyFile.verifyingKey(at: "/etc/lamp/release.pub")]
/// policy.hardware = Hardware(name: "acme/lamp", revision: 3)
/// ```
public struct AcceptancePolicy: Sendable {
    /// Whose signatures count. Default: nobody's.
    public var trustedKeys: [VerifyingKey] = []
    /// Whether images are taken that none of those signed. Default, `nil`: if no key is trusted.
    public var takesUnsigned: Bool?
    /// What the device is. Default: not known, and images that are for stated hardware are refused.
    public var hardware: Hardware?
    /// Which part of the device the receiver writes. Default: the only one.
    public var component: String?
    /// Whether images for any hardware and any part are taken: of a receiver that is no device, as
    /// a mirror or a test. Default: no.
    public var isAnyDevice = false
    /// Whose sealed images can be opened. Default: nobody's.
    public var unsealingKeys: [UnsealingKey] = []
    /// Whether images are taken that travel compressed, as a patch or sealed, where the store can
    /// decode them. Default: yes.
    public var takesEncoded = true
    /// The lowest security counter, whatever the store says. Default: 0.
    public var counterMin: UInt32 = 0
    /// The time in seconds since the beginning of 1970, UTC, or `nil` where it is not known.
    /// Default: that of the system.
    public var secondsSince1970: @Sendable () -> UInt64? = { SystemTime.secondsSince1970 }
    /// The largest image, in bytes. Default: what the protocol allows.
    public var imageByteCountMax = Int(UInt32.max)
    /// What peers are told that ask what runs; asked each time, and must answer at once. Default:
    /// that it is not known.
    package var running: @Sendable () -> RunningImage = { .unknown }
    /// The application's own judgement, after the others: a reason to refuse, such as a battery
    /// that is low, or `nil`. Default: none.
    public var judge: @Sendable (Manifest) -> RefusalReason? = { _ in nil }

    /// The defaults: images that nobody signed, for any hardware that a device without a name can
    /// tell.
    public init() {}

    /// Takes images that one of these keys has signed, for this hardware.
    ///
    /// - Parameters:
    ///   - keys: whose signatures count; at least one.
    ///   - hardware: what the device is; `nil` if it does not know, and then it refuses images that
    ///     are for stated hardware.
    public static func signed(
        by keys: [VerifyingKey],
        for hardware: Hardware? = nil
    ) -> AcceptancePolicy {
        precondition(!keys.isEmpty, "a signature counts only if a key is trusted")
        var policy = AcceptancePolicy()
        policy.trustedKeys = keys
        policy.hardware = hardware
        return policy
    }

    /// Takes images of anybody who can reach the receiver, for this hardware. Without signatures
    /// anyone in range can replace a device's firmware.
    public static func unsigned(for hardware: Hardware? = nil) -> AcceptancePolicy {
        var policy = AcceptancePolicy()
        policy.hardware = hardware
        return policy
    }

    /// Takes what is for any hardware and any part: for who keeps images and does not run them.
    public static var anyDevice: AcceptancePolicy {
        var policy = AcceptancePolicy()
        policy.isAnyDevice = true
        return policy
    }

    /// Whether somebody signed it whose key is trusted.
    func isTrusted(_ manifest: Manifest) -> Bool {
        trustedKeys.contains { manifest.isSigned(by: $0) }
    }

    /// Undoes what it takes.
    var decoder: ImageDecoder { ImageDecoder(unsealingKeys: unsealingKeys) }

    /// What the specification asks, in its order.
    ///
    /// - Parameter isDecoded: whether the image is held as it is, so that nothing of it has to be
    ///   decoded any more.
    private func acceptanceRefusal(
        of manifest: Manifest,
        for status: StoreStatus,
        isDecoded: Bool
    ) -> ManifestRefusal? {
        let acceptance = Acceptance(
            policy: self,
            manifest: manifest,
            status: status,
            isDecoded: isDecoded,
            counterMin: max(counterMin, status.counter),
            secondsSince1970: secondsSince1970()
        )
        return manifest.fields.refusal(in: manifest.bytes.span.bytes, by: acceptance)
    }

    /// Why an image that is current would not be taken any more; `nil` if it would.
    ///
    /// - Parameter status: what the store says of itself.
    package func refusal(ofCurrent image: StoredImage, for status: StoreStatus) -> ManifestRefusal?
    {
        acceptanceRefusal(of: image.manifest, for: status, isDecoded: true)
    }

    /// - Parameters:
    ///   - status: what the store says of itself.
    ///   - isDecoded: whether the image travelled encoded and is held decoded already.
    func refusal(
        of manifest: Manifest,
        for status: StoreStatus,
        isDecoded: Bool = false
    ) -> ManifestRefusal? {
        if let refusal = acceptanceRefusal(of: manifest, for: status, isDecoded: isDecoded) {
            return refusal
        }
        if manifest.largestByteCount > imageByteCountMax {
            return ManifestRefusal(.tooLarge, detail: UInt64(imageByteCountMax))
        }
        return judge(manifest).map { ManifestRefusal($0.reason) }
    }
}
