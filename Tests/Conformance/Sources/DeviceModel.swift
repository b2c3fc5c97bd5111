import BLEOTACore
import BLEOTAManifest

/// Devices that a manifest is shown to. pack.py says what each has to answer.
enum DeviceModel: AcceptanceRules {
    /// Takes unsigned images that ask for nothing.
    case bare
    /// Takes signed images only, and trusts nobody.
    case strict
    /// Knows its hardware, its part, a counter and the time; undoes compression, not seals. Keys of
    /// Ed25519 are trusted, and sign rightly.
    case choosy
    /// Trusts every key, and finds no signature right.
    case deceived

    var takesUnsigned: Bool { self == .bare || self == .choosy }

    func trusts(_ signature: ManifestSignature, in manifest: RawSpan) -> Bool {
        self == .deceived || self == .choosy && signature.algorithm == .ed25519
    }

    func isSignature(
        _ signature: ManifestSignature,
        of signedBytes: Range<Int>,
        in manifest: RawSpan
    ) -> Bool { self == .choosy }

    var isHardwareKnown: Bool { self == .choosy }

    func isHardware(_ hardware: ManifestHardware, in manifest: RawSpan) -> Bool {
        self == .choosy && Self.isText("acme/lamp", manifest.extracting(hardware.name))
            && hardware.revisions.contains(3)
    }

    func isComponent(_ name: Range<Int>, in manifest: RawSpan) -> Bool {
        self == .choosy && Self.isText("radio", manifest.extracting(name))
    }

    var counterMin: UInt32 { self == .choosy ? 7 : 0 }

    func refusal(of encoding: ManifestEncoding, in manifest: RawSpan) -> ManifestRefusal? {
        if self != .choosy {
            return ManifestRefusal(.unsupportedEncoding, detail: UInt64(encoding.byte))
        }
        return encoding.isSealed ? ManifestRefusal(.wrongRecipient) : nil
    }

    var secondsSince1970: UInt64? { self == .choosy ? 2_000_000_000 : nil }

    private static func isText(_ text: StaticString, _ bytes: RawSpan) -> Bool {
        guard text.utf8CodeUnitCount == bytes.byteCount else { return false }
        for offset in bytes.byteOffsets {
            let byte = bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            if byte != text.utf8Start[offset] { return false }
        }
        return true
    }
}
