import BLEOTA
import BLEOTACore

/// A device that trusts one key, and what somebody without that key may have heard or made: every
/// manifest here is one that the device has to refuse, except the first.
struct HostileScene: Sendable {
    static let shared = HostileScene()

    /// Below this the device takes nothing.
    static let counter: UInt32 = 9
    private static let imageByteCount = 3 * 4_096 - 700
    private static let imageByteCountMax = 1 << 14

    let policy: AcceptancePolicy
    /// The image that the owner signed for this device.
    let image: [UInt8]
    /// First the owner's for this device, then those that it has to refuse.
    let manifests: [Manifest]

    private init() {
        let (owner, stranger) = (SigningKey.generate(), SigningKey.generate())
        var policy = AcceptancePolicy()
        policy.trustedKeys = [owner.verifyingKey]
        policy.hardware = Hardware(name: "acme/lamp", revision: 3)
        policy.component = "application"
        policy.secondsSince1970 = { 1_800_000_000 }
        policy.imageByteCountMax = Self.imageByteCountMax
        self.policy = policy
        // Small numbers, so that it can be compressed.
        let image = Content.bytes(in: 0..<Self.imageByteCount, of: .image).map { $0 & 7 }
        self.image = image

        func manifest(
            signedBy keys: [SigningKey],
            of bytes: [UInt8] = image,
            as variants: VariantOptions = VariantOptions(isCompressed: false),
            _ change: (inout ImageRestrictions) -> Void = { _ in }
        ) -> Manifest {
            var restrictions = ImageRestrictions()
            restrictions.hardware = HardwareRange(name: "acme/lamp", revisions: 2...5)
            restrictions.component = "application"
            restrictions.counter = Self.counter
            change(&restrictions)
            // An image in memory can't fail to be read.
            let prepared = try! Firmware(
                FirmwareFile(bytes: bytes, name: "lamp.bin"),
                version: "2.1.0",
                restrictions: restrictions,
                variants: variants,
                signedBy: keys
            )
            return prepared.manifest
        }
        var sealed = VariantOptions(isCompressed: false)
        sealed.recipients = [UnsealingKey.generate().sealingKey]
        let tooLarge = Array(repeating: UInt8(1), count: Self.imageByteCountMax + 1)
        manifests = [
            manifest(signedBy: [owner]),
            manifest(signedBy: []),
            manifest(signedBy: [stranger]),
            manifest(signedBy: [stranger], as: VariantOptions()),
            manifest(signedBy: [owner]) { $0.hardware = HardwareRange(name: "acme/stove") },
            manifest(signedBy: [owner]) {
                $0.hardware = HardwareRange(name: "acme/lamp", revisions: 4...5)
            },
            manifest(signedBy: [owner]) { $0.component = "radio" },
            manifest(signedBy: [owner]) { $0.counter = Self.counter - 1 },
            manifest(signedBy: [owner]) { $0.expiry = 1_700_000_000 },
            manifest(signedBy: [owner], as: sealed),
            manifest(signedBy: [owner], of: tooLarge),
        ]
    }
}

extension VariantOptions {
    fileprivate init(isCompressed: Bool) {
        self.init()
        self.isCompressed = isCompressed
    }
}
