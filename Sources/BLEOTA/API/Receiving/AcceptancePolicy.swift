import BLEOTACore
package import BLEOTAManifest
import BLEOTAWire

/// The rules by which a receiver accepts or refuses an image. They apply when the manifest is
/// complete, before storage for the image is erased or written, and again each time an earlier
/// transfer is resumed (spec/bleota.md, section 4.4).
///
/// ```swift
/// var policy = AcceptancePolicy()
/// policy.trustedKeys = [try VerifyingKey(contentsOf: "/etc/lamp/release.pub")]
/// policy.hardware = Hardware(name: "acme/lamp", revision: 3)
/// ```
public struct AcceptancePolicy: Sendable {
    /// The keys whose signatures are trusted. Default: none.
    public var trustedKeys: [VerifyingKey] = []
    /// Whether to accept images that no trusted key has signed. Default, `nil`: only if no key
    /// is trusted.
    public var takesUnsigned: Bool?
    /// The hardware of the device. Default: unknown; images for specific hardware are refused.
    public var hardware: Hardware?
    /// The component of the device that the receiver writes. Default: none; images for a named
    /// component are refused.
    public var component: String?
    /// Whether to accept images for any hardware and any component. Meant for a receiver that
    /// does not run the images, such as a mirror or a test. Default: no.
    public var isAnyDevice = false
    /// The private keys that can open sealed images. Default: none; sealed images are refused.
    public var unsealingKeys: [UnsealingKey] = []
    /// Whether to accept images that are compressed, sealed or sent as a patch, provided that
    /// the store can decode them. Default: yes.
    public var takesEncoded = true
    /// The lowest accepted security counter, even if the store would accept a lower one.
    /// Default: 0.
    public var counterMin: UInt32 = 0
    /// A closure that returns the Unix time in seconds, or `nil` if the time is unknown.
    /// Default: the system's time.
    public var secondsSince1970: @Sendable () -> UInt64? = { SystemTime.secondsSince1970 }
    /// The maximum length of an accepted image, in bytes. Default: the limit of the protocol.
    public var imageByteCountMax = Int(UInt32.max)
    /// A closure that returns the image that the device runs, for peers that query it. The closure
    /// is called for each query and must return immediately. Default: unknown.
    package var running: @Sendable () -> RunningImage = { .unknown }
    /// The key with which the device signs receipts. Default: none.
    package var deviceKey: SigningKey?
    /// The application's own check, which runs after all others. It returns a reason to refuse
    /// the image, such as ``RefusalReason/notNow`` while the battery is low, or `nil` to accept
    /// the image. Default: no check.
    public var judge: @Sendable (Manifest) -> RefusalReason? = { _ in nil }

    /// A policy with the defaults: it accepts unsigned images, except those for specific
    /// hardware or a named component.
    public init() {}

    /// A policy that accepts images signed by one of these keys, for this hardware.
    ///
    /// - Parameters:
    ///   - keys: the trusted keys, at least one.
    ///   - hardware: the hardware of the device; `nil` if it is unknown, in which case images
    ///     for specific hardware are refused.
    public static func signed(
        by keys: [VerifyingKey],
        for hardware: Hardware? = nil
    ) -> AcceptancePolicy {
        precondition(
            !keys.isEmpty,
            "keys must not be empty, because a signature counts only if its key is trusted"
        )
        var policy = AcceptancePolicy()
        policy.trustedKeys = keys
        policy.hardware = hardware
        return policy
    }

    /// A policy that accepts unsigned images for this hardware. With this policy, anyone who can
    /// reach the receiver can replace the device's firmware.
    public static func unsigned(for hardware: Hardware? = nil) -> AcceptancePolicy {
        var policy = AcceptancePolicy()
        policy.hardware = hardware
        return policy
    }

    /// A policy that accepts unsigned images for any hardware and any component. Meant for
    /// programs that store images but don't run them.
    public static var anyDevice: AcceptancePolicy {
        var policy = AcceptancePolicy()
        policy.isAnyDevice = true
        return policy
    }

    /// Whether a trusted key has signed the manifest.
    func isTrusted(_ manifest: Manifest) -> Bool {
        trustedKeys.contains { manifest.isSigned(by: $0) }
    }

    /// The decoder for encoded images, with the keys of this policy.
    var decoder: ImageDecoder { ImageDecoder(unsealingKeys: unsealingKeys) }

    /// Performs the checks that the specification requires, in the order that it requires.
    ///
    /// - Parameter isDecoded: whether the store already holds the decoded image, so nothing
    ///   needs to be decoded.
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

    /// The reason the policy now refuses the current image; `nil` if it still accepts the
    /// image.
    ///
    /// - Parameter status: the state of the store.
    package func refusal(ofCurrent image: StoredImage, for status: StoreStatus) -> ManifestRefusal?
    {
        acceptanceRefusal(of: image.manifest, for: status, isDecoded: true)
    }

    /// The reason the policy refuses a manifest; `nil` if it accepts the manifest.
    ///
    /// - Parameters:
    ///   - status: the state of the store.
    ///   - isDecoded: whether the image was sent encoded and the store already holds it
    ///     decoded.
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
