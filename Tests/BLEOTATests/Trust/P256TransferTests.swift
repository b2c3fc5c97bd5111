import BLEOTACore
import BLEOTAManifest
import BLEOTATestSupport
import BLEOTAWire
import Testing

@testable import BLEOTA

/// Images that keys of P-256 have signed, alone and beside Ed25519.
@Suite("Images signed with P-256", .timeLimit(.minutes(2)))
struct P256TransferTests {
    private static let owner = SigningKey.generate(.p256)
    private static let stranger = SigningKey.generate(.p256)

    private func lamp(trusting keys: SigningKey...) -> AcceptancePolicy {
        var policy = SignedImage.lamp
        policy.trustedKeys = keys.map(\.verifyingKey)
        return policy
    }

    private func refusal(of manifest: Manifest, by policy: AcceptancePolicy) -> Reason? {
        policy.refusal(of: manifest, for: StoreStatus(counter: 0))?.reason
    }

    private func push(_ image: SignedImage, to policy: AcceptancePolicy) async -> TransferError
        .Problem?
    {
        do throws(TransferError) {
            let store = MemoryStore()
            _ = try await pushing(image.prepared, over: loopback(), into: store, policy: policy)
            #expect(await store.currentBytes == image.bytes)
            #expect(await store.status().counter == 7)
            return nil
        } catch {
            return error.problem
        }
    }

    @Test("An image arrives where its key is trusted, and nowhere else")
    func arrives() async {
        let image = SignedImage(signedBy: [Self.owner])
        #expect(await push(image, to: lamp(trusting: Self.owner)) == nil)
        #expect(await push(image, to: lamp(trusting: Self.stranger, Self.owner)) == nil)
        for other in [Self.stranger, SignedImage.owner] {
            let code = await push(image, to: lamp(trusting: other))
            #expect(code == .refused(.untrustedKey, detail: 0))
        }
    }

    @Test("One signed with both algorithms arrives at devices that know either")
    func both() async {
        for keys in [[Self.owner, SignedImage.owner], [SignedImage.owner, Self.owner]] {
            let image = SignedImage(signedBy: keys)
            #expect(image.manifest.signatures.map(\.algorithm) == [.ed25519, .p256])
            for key in keys { #expect(await push(image, to: lamp(trusting: key)) == nil) }
        }
    }

    @Test("Every single-bit flip of a signed manifest is refused")
    func flippedBits() {
        let manifest = SignedImage(signedBy: [Self.owner]).manifest
        let policy = lamp(trusting: Self.owner)
        #expect(refusal(of: manifest, by: policy) == nil)
        var reasons: Set<Reason?> = []
        for bit in 0..<manifest.bytes.count * 8 {
            var bytes = manifest.bytes
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            guard let changed = try? Manifest(bytes: bytes) else { continue }
            let reason = refusal(of: changed, by: policy)
            #expect(reason != nil, "bit \(bit)")
            reasons.insert(reason)
        }
        // The message and the signature give the one, the key's ID and its algorithm the other.
        #expect(reasons == [.badSignature, .untrustedKey])
    }

    @Test("A signature under the number of the other algorithm is by nobody")
    func mixedUp() throws {
        for (key, other) in [
            (Self.owner, SignatureAlgorithm.ed25519), (SignedImage.owner, .p256),
        ] {
            let manifest = SignedImage(signedBy: [key]).manifest
            var bytes = manifest.bytes
            let start = try #require(manifest.signatures.first).value.lowerBound - 12
            #expect(bytes[start] == key.verifyingKey.kind.algorithm.rawValue)
            bytes[start] = other.rawValue
            let changed = try Manifest(bytes: bytes)
            #expect(!changed.isSigned(by: key.verifyingKey))
            #expect(refusal(of: changed, by: lamp(trusting: key)) == .untrustedKey)
        }
    }

    /// Its signature is another each time, so the manifest would be another transfer.
    @Test("A manifest that a key has signed stays as it is when the key signs it again")
    func again() throws {
        let manifest = SignedImage(signedBy: [Self.owner, SignedImage.owner]).manifest
        #expect(try manifest.signed(by: Self.owner) == manifest)
        #expect(try manifest.signed(by: SignedImage.owner) == manifest)
        let more = try manifest.signed(by: Self.stranger)
        #expect(more.signatures.count == 3)
        for key in [Self.owner, Self.stranger, SignedImage.owner] {
            #expect(more.isSigned(by: key.verifyingKey))
        }
    }

    @Test("A wrong signature by a key gives way to a right one")
    func repaired() throws {
        let manifest = SignedImage(signedBy: [Self.owner]).manifest
        var bytes = manifest.bytes
        bytes[bytes.count - 1] ^= 1
        let wrong = try Manifest(bytes: bytes)
        #expect(refusal(of: wrong, by: lamp(trusting: Self.owner)) == .badSignature)
        let right = try wrong.signed(by: Self.owner)
        #expect(right.signatures.count == 1)
        #expect(refusal(of: right, by: lamp(trusting: Self.owner)) == nil)
    }
}
