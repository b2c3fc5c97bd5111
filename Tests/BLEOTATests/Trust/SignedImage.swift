import BLEOTATestSupport

@testable import BLEOTA

/// An image for `acme/lamp`, revisions 2 to 5, with counter 7, and who may have signed it.
struct SignedImage {
    static let owner = key(1)
    static let stranger = key(2)
    let bytes: [UInt8]
    let prepared: Firmware

    init(
        seed: UInt64 = 1,
        byteCount: Int = 20_000,
        counter: UInt32? = 7,
        signedBy keys: [SigningKey] = [owner],
        isCompressible: Bool = false,
        variants: VariantOptions = VariantOptions(),
        _ change: (inout ImageRestrictions) -> Void = { _ in }
    ) {
        var random = TestSeed(seed)
        var bytes = random.bytes(byteCount)
        if isCompressible { for index in bytes.indices { bytes[index] &= 3 } }
        self.bytes = bytes
        var restrictions = ImageRestrictions()
        restrictions.hardware = HardwareRange(name: "acme/lamp", revisions: 2...5)
        restrictions.counter = counter
        change(&restrictions)
        // An image in memory can't fail to be read.
        prepared = try! Firmware(
            FirmwareFile(bytes: bytes, name: "lamp.bin"),
            version: "2.1.0",
            restrictions: restrictions,
            variants: variants,
            signedBy: keys
        )
    }

    var manifest: Manifest { prepared.manifest }

    /// The bundle as a file has it.
    var bundle: [UInt8] {
        prepared.variants.reduce(ImageBundle.head(variantCount: prepared.variants.count)) {
            bytes,
            variant in
            // A form in memory can't fail to be read.
            bytes + ImageBundle.head(of: variant)
                + (try! variant.read(at: 0, byteCount: variant.byteCount))
        }
    }

    /// A lamp of revision 3 that trusts the owner.
    static var lamp: AcceptancePolicy {
        var policy = AcceptancePolicy()
        policy.trustedKeys = [owner.verifyingKey]
        policy.hardware = Hardware(name: "acme/lamp", revision: 3)
        policy.secondsSince1970 = { 1_800_000_000 }
        return policy
    }

    /// The same key each time, so that a failure can be repeated.
    private static func key(_ number: UInt8) -> SigningKey {
        let pem = KeyEncoding.signing.pem(of: Array(repeating: number, count: 32))
        return try! SigningKey(pem: pem)
    }
}
