import BLEOTACore
import BLEOTAManifest
import BLEOTAWire
import Testing

@testable import BLEOTA

/// What a device takes, question by question (spec/bleota.md, section 4.4).
@Suite("Acceptance")
struct AcceptanceTests {
    private typealias Change = (inout AcceptancePolicy) -> Void

    private func refusal(
        of image: SignedImage = SignedImage(),
        counter: UInt32 = 0,
        _ change: Change = { _ in }
    ) -> ManifestRefusal? {
        var policy = SignedImage.lamp
        change(&policy)
        return policy.refusal(of: image.manifest, for: StoreStatus(counter: counter))
    }

    @Test("A signed image for this device is taken")
    func taken() { #expect(refusal() == nil) }

    //= ACCEPT-2
    @Test("Who signs, and whose signature counts")
    func signatures() {
        let (owner, stranger) = (SignedImage.owner, SignedImage.stranger)
        let unsigned = SignedImage(signedBy: [])
        #expect(refusal(of: unsigned)?.reason == .unsigned)
        #expect(refusal(of: SignedImage(signedBy: [stranger]))?.reason == .untrustedKey)
        #expect(refusal(of: SignedImage(signedBy: [stranger, owner])) == nil)
        #expect(refusal(of: SignedImage(signedBy: [owner, stranger])) == nil)
        #expect(refusal(of: unsigned) { $0.takesUnsigned = true } == nil)
        #expect(
            refusal(of: SignedImage(signedBy: [stranger])) { $0.takesUnsigned = true } == nil
        )
        // Without a key anything goes, unless it is said that it does not.
        #expect(refusal(of: unsigned) { $0.trustedKeys = [] } == nil)
        let strict: Change = {
            $0.trustedKeys = []
            $0.takesUnsigned = false
        }
        #expect(refusal(of: unsigned, strict)?.reason == .unsigned)
        #expect(refusal(of: SignedImage(), strict)?.reason == .untrustedKey)
    }

    //= ACCEPT-2
    @Test("A signature of a trusted key that is wrong is refused, also where none is needed")
    func wrongSignature() throws {
        let manifest = SignedImage().manifest
        var bytes = manifest.bytes
        bytes[bytes.count - 1] ^= 1
        let changed = try Manifest(bytes: bytes)
        for takesUnsigned in [nil, false, true] {
            var policy = SignedImage.lamp
            policy.takesUnsigned = takesUnsigned
            let refusal = policy.refusal(of: changed, for: StoreStatus(counter: 0))
            #expect(refusal?.reason == .badSignature)
            // A right one besides it makes up for it.
            let again = try changed.signed(by: SignedImage.stranger)
            policy.trustedKeys.append(SignedImage.stranger.verifyingKey)
            #expect(policy.refusal(of: again, for: StoreStatus(counter: 0)) == nil)
        }
    }

    //= ACCEPT-3
    @Test("Which hardware")
    func hardware() {
        for revision in [2, 3, 5] as [UInt16] {
            let taken = refusal { $0.hardware = Hardware(name: "acme/lamp", revision: revision) }
            #expect(taken == nil)
        }
        for revision in [0, 1, 6, 65_535] as [UInt16] {
            let other = refusal { $0.hardware = Hardware(name: "acme/lamp", revision: revision) }
            #expect(other?.reason == .wrongHardware)
        }
        for name in ["acme/lam", "acme/lamps", "Acme/lamp", "a/b"] {
            let other = refusal { $0.hardware = Hardware(name: name, revision: 3) }
            #expect(other?.reason == .wrongHardware)
        }
        #expect(refusal { $0.hardware = nil }?.reason == .wrongHardware)
        #expect(
            refusal {
                $0.hardware = nil
                $0.isAnyDevice = true
            } == nil
        )
        let silent = SignedImage { $0.hardware = nil }
        #expect(refusal(of: silent)?.reason == .wrongHardware)
        #expect(refusal(of: silent) { $0.hardware = nil } == nil)
        // Nobody says anything of a bare file, and who takes those takes it.
        let bare = SignedImage(counter: nil, signedBy: []) { $0.hardware = nil }
        #expect(refusal(of: bare) { $0.takesUnsigned = true } == nil)
    }

    //= ACCEPT-4
    @Test("Which part of the device")
    func component() {
        let radio = SignedImage { $0.component = "radio" }
        #expect(refusal(of: radio) { $0.component = "radio" } == nil)
        #expect(refusal(of: radio) { $0.component = "main" }?.reason == .wrongComponent)
        #expect(refusal(of: radio)?.reason == .wrongComponent)
        #expect(refusal(of: radio) { $0.isAnyDevice = true } == nil)
        #expect(refusal { $0.component = "radio" } == nil)
    }

    //= ACCEPT-5
    @Test("How old it may be")
    func counter() {
        for (counter, low) in [(0, 0), (7, 7), (7, 0), (.max, .max)] as [(UInt32, UInt32)] {
            #expect(refusal(of: SignedImage(counter: counter), counter: low) == nil)
        }
        for (counter, low) in [(0, 1), (6, 7), (.max - 1, .max)] as [(UInt32, UInt32)] {
            let refused = ManifestRefusal(.downgrade, detail: UInt64(low))
            #expect(refusal(of: SignedImage(counter: counter), counter: low) == refused)
            #expect(refusal(of: SignedImage(counter: counter)) { $0.counterMin = low } == refused)
        }
        #expect(refusal(of: SignedImage(counter: nil), counter: 1)?.reason == .downgrade)
        // Nor is it a way around that nobody signed it.
        let unsigned = SignedImage(counter: 6, signedBy: [])
        #expect(
            refusal(of: unsigned, counter: 7) { $0.takesUnsigned = true }?.reason == .downgrade
        )
    }

    //= ACCEPT-6
    @Test("How long it may be installed")
    func expiry() {
        let image = SignedImage { $0.expiry = 1_800_000_000 }
        #expect(refusal(of: image) == nil)
        let late: Change = { $0.secondsSince1970 = { 1_800_000_001 } }
        #expect(refusal(of: image, late) == ManifestRefusal(.expired, detail: 1_800_000_000))
        #expect(refusal(of: image) { $0.secondsSince1970 = { nil } } == nil)
    }

    //= ACCEPT-9
    @Test("An encoding that can't be undone comes last, whatever else is wrong with it")
    func encoding() {
        let unknown = TestTransfer([1], travellingAs: [0], Compression(rawValue: 5)).manifest
        var status = StoreStatus(counter: 0)
        status.decodesImages = true
        var policy = AcceptancePolicy()
        #expect(
            policy.refusal(of: unknown, for: status)
                == ManifestRefusal(.unsupportedEncoding, detail: 5)
        )
        policy.counterMin = 1
        #expect(policy.refusal(of: unknown, for: status)?.reason == .downgrade)
    }

    //= ACCEPT-1
    @Test("The first that is wrong counts")
    func order() {
        let wrong = SignedImage(counter: 1, signedBy: []) {
            $0.component = "radio"
            $0.expiry = 1
        }
        var policy = SignedImage.lamp
        policy.hardware = Hardware(name: "acme/stove", revision: 3)
        policy.counterMin = 7
        policy.imageByteCountMax = 1
        policy.judge = { _ in .notNow }
        let repairs: [(Reason, (inout AcceptancePolicy) -> Void)] = [
            (.unsigned, { $0.takesUnsigned = true }),
            (.wrongHardware, { $0.hardware = Hardware(name: "acme/lamp", revision: 3) }),
            (.wrongComponent, { $0.component = "radio" }),
            (.downgrade, { $0.counterMin = 1 }),
            (.expired, { $0.secondsSince1970 = { 1 } }),
            (.tooLarge, { $0.imageByteCountMax = 1 << 20 }),
            (.notNow, { $0.judge = { _ in nil } }),
        ]
        for (reason, repair) in repairs {
            #expect(
                policy.refusal(of: wrong.manifest, for: StoreStatus(counter: 0))?.reason == reason
            )
            repair(&policy)
        }
        #expect(policy.refusal(of: wrong.manifest, for: StoreStatus(counter: 0)) == nil)
    }
}
