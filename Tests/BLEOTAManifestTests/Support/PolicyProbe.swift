import BLEOTAWire

@testable import BLEOTAManifest

/// A device whose answers a test chooses, and the manifest that it is asked about.
struct PolicyProbe: AcceptanceRules {
    /// Whose signatures there are, and which of them are right.
    enum Signing: CaseIterable { case nobody, stranger, owner, forger, strangerAndOwner }

    static let (owner, stranger) = (KeyID(rawValue: 2), KeyID(rawValue: 1))

    var signing = Signing.owner
    var isTrusted: Bool { signing == .owner || signing == .strangerAndOwner }
    var takesUnsigned = false
    var isHardwareKnown = true
    var isHardwareRight = true
    var isComponentRight = true
    var counterMin: UInt32 = 0
    var secondsSince1970: UInt64?
    var statesHardware = true
    var statesComponent = true
    var counter: UInt32? = 7
    var expiry: UInt64? = 100
    var statesEncoding = false

    func trusts(_ signature: ManifestSignature, in manifest: RawSpan) -> Bool {
        signature.keyID == Self.owner && signature.algorithm == .ed25519
    }

    func isSignature(
        _ signature: ManifestSignature,
        of signedBytes: Range<Int>,
        in manifest: RawSpan
    ) -> Bool {
        signature.keyID == Self.owner && signature.value.count == 64 && signing != .forger
            && signedBytes == 0..<unsigned.count - 2
    }

    func isHardware(_ hardware: ManifestHardware, in manifest: RawSpan) -> Bool {
        isHardwareRight && isText("acme/lamp", hardware.name, in: manifest)
            && hardware.revisions == 2...5
    }

    func isComponent(_ name: Range<Int>, in manifest: RawSpan) -> Bool {
        isComponentRight && isText("radio", name, in: manifest)
    }

    private func isText(_ text: String, _ range: Range<Int>, in manifest: RawSpan) -> Bool {
        manifest.extracting(range).withUnsafeBytes { $0.elementsEqual(text.utf8) }
    }

    var refusal: ManifestRefusal? {
        let bytes = self.bytes
        // What this writes keeps the rules.
        let fields = try! ManifestFields(parsing: bytes.span.bytes)
        return fields.refusal(in: bytes.span.bytes, by: self)
    }

    // MARK: - The manifest

    private var attributes: [UInt8] {
        var attributes: [UInt8] = []
        if statesHardware { attributes += [0x81, 13, 2, 0, 5, 0] + Array("acme/lamp".utf8) }
        if statesComponent { attributes += [0x82, 5] + Array("radio".utf8) }
        if let counter { attributes += [0x83, 4] + little(UInt64(counter), 4) }
        if let expiry { attributes += [0x84, 8] + little(expiry, 8) }
        if statesEncoding {
            attributes += [0x85, 37, 1] + little(1, 4) + Array(repeating: 0, count: 32)
        }
        return attributes
    }

    /// An image of one byte; its hashes are zeros.
    private var unsigned: [UInt8] {
        [0x42, 0x4C, 0x4D, 0x31, 1, 8, 0, 0, 1, 0, 0, 0]
            + little(UInt64(attributes.count), 2) + [0, 0] + Array(repeating: 0, count: 32)
            + attributes + Array(repeating: 0, count: 16 + 2)
    }

    var bytes: [UInt8] {
        let keys: [KeyID] =
            switch signing {
            case .nobody: []
            case .stranger: [Self.stranger]
            case .owner, .forger: [Self.owner]
            case .strangerAndOwner: [Self.stranger, Self.owner]
            }
        let signatures = keys.flatMap { (key) -> [UInt8] in
            [1, 0, 64, 0] + little(key.rawValue, 8) + Array(repeating: 0x5A, count: 64)
        }
        return Array(unsigned.dropLast(2)) + little(UInt64(signatures.count), 2) + signatures
    }

    private func little(_ number: UInt64, _ byteCount: Int) -> [UInt8] {
        (0..<byteCount).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
    }
}
