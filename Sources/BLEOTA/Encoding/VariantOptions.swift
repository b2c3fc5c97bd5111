import BLEOTACore
import BLEOTAManifest
import BLEOTAWire

/// Options for the variants in which an image is sent. The smallest variant is offered first,
/// and the others to receivers that can't accept it.
///
/// ```swift
/// var forms = VariantOptions()
/// forms.recipients = [lamps]
/// let sealed = try Firmware(image, version: "2", restrictions: restrictions, variants: forms)
/// ```
///
/// Variants other than the unencoded image are created in memory, from images of at most 64
/// MiB.
package struct VariantOptions: Sendable {
    /// Whether to compress the image, if that makes it at least 5 % smaller. Images of 1 MiB and
    /// more are judged by a sample first. Default: yes.
    package var isCompressed = true
    /// The public keys of the recipients for whom the image is sealed, at most 3. Nobody else
    /// can read a sealed image. Default: none; the image is not sealed.
    package var recipients: [SealingKey] = []
    #if Delta
    /// The image that devices currently run. Those devices get a patch against it. Default:
    /// none.
    package var base: FirmwareFile?
    #endif

    /// The defaults.
    package init() {}

    /// Creates the variants of an image.
    ///
    /// - Throws: a ``FirmwareError`` if the image can't be read, or if it is too long to be
    ///   sealed or sent as a patch.
    func make(of description: ImageDescription) throws(FirmwareError) -> [ImageVariant] {
        let image = description.image
        let isLong = image.byteCount > ImageDecoder.inMemoryByteCountMax
        if recipients.isEmpty, !needsBase, isLong || !isCompressed {
            return [try description.variant(as: nil, image.wholeContent)]
        }
        try Self.requireInMemory(image, "to be sealed or sent as a patch")
        let bytes = try image.read(at: 0, byteCount: image.byteCount)
        let sha256 = SHA256.digest(of: bytes)
        var variants: [ImageVariant] = []
        for candidate in try candidates(bytes) {
            let statement = EncodingStatement(
                compression: candidate.compression,
                byteCount: bytes.count,
                sha256: sha256,
                base: candidate.baseSHA256,
                sketch: candidate.sketch
            )
            variants.append(
                try variant(candidate.bytes, statement, of: description)
            )
        }
        return variants
    }

    private struct Candidate {
        var compression: Compression
        var bytes: [UInt8]
        var baseSHA256: [UInt8]?
        var sketch: [UInt8]?
    }

    /// The contents of all variants, the smallest first and the unencoded image last.
    private func candidates(_ bytes: [UInt8]) throws(FirmwareError) -> [Candidate] {
        var found = [Candidate(compression: .none, bytes: bytes)]
        if isCompressed {
            let most = bytes.count - (bytes.count + 19) / 20
            if let deflated = Deflater.deflate(bytes, byteCountMax: most) {
                found.insert(Candidate(compression: .zlib, bytes: deflated), at: 0)
                found[0].sketch = sketch(of: bytes)
            }
        }
        #if Delta
        if let base {
            guard base.bundledVariants.last?.manifest.encoding == nil else {
                throw FirmwareError(
                    .malformedBundle,
                    fileName: base.name,
                    "\(base.name) is a bundle that does not contain the image that devices run; "
                        + "use the image itself."
                )
            }
            try Self.requireInMemory(base, "for a patch against it")
            let old = try base.read(at: 0, byteCount: base.byteCount)
            if old.count >= Patch.baseByteCountMin,
                case let patch = Patch.make(of: bytes, from: old),
                patch.count < found[0].bytes.count
            {
                let sha256 = SHA256.digest(of: old)
                found.insert(
                    Candidate(compression: .patch, bytes: patch, baseSHA256: sha256),
                    at: 0
                )
            }
        }
        #endif
        return found
    }

    //= ENC-5: The maker of a manifest MUST NOT add a sketch unless the form is encoded and not
    //= sealed, and the next form is the unencoded image, also in blocks of 2^k bytes.
    private func sketch(of image: [UInt8]) -> [UInt8]? {
        recipients.isEmpty ? ImageSketch.make(of: image) : nil
    }

    private static func requireInMemory(
        _ image: FirmwareFile,
        _ purpose: String
    ) throws(FirmwareError) {
        let limit = ImageDecoder.inMemoryByteCountMax
        guard image.byteCount > limit else { return }
        throw FirmwareError(
            .tooLarge,
            fileName: image.name,
            "\(image.name) is too large \(purpose): it is \(image.byteCount) bytes long, but the "
                + "limit is \(limit); send the image unencoded."
        )
    }

    private var needsBase: Bool {
        #if Delta
        base != nil
        #else
        false
        #endif
    }

    private func variant(
        _ bytes: [UInt8],
        _ statement: EncodingStatement,
        of description: ImageDescription
    ) throws(FirmwareError) -> ImageVariant {
        if recipients.isEmpty {
            guard statement.compression != .none else {
                return try description.variant(as: nil, description.image.wholeContent)
            }
            return try description.variant(as: statement, .memory(bytes))
        }
        let (seal, attribute): (ContentSeal, [UInt8])
        do throws(KeyError) {
            (seal, attribute) = try ContentSeal.make(for: Array(Set(recipients)))
        } catch {
            throw FirmwareError(.unusableKey, fileName: description.image.name, error.description)
        }
        var statement = statement
        statement.seal = attribute
        let sealed = seal.seal(all: bytes, blockByteCount: ImageDescription.blockByteCount)
        return try description.variant(as: statement, .memory(sealed))
    }
}

extension ContentSeal {
    /// Seals a whole image, cut into pieces that each become one block.
    fileprivate func seal(all bytes: [UInt8], blockByteCount: Int) -> [UInt8] {
        let pieceByteCount = blockByteCount - ManifestLayout.sealTagByteCount
        var sealed: [UInt8] = []
        for (index, start) in stride(from: 0, to: bytes.count, by: pieceByteCount).enumerated() {
            let end = min(start + pieceByteCount, bytes.count)
            sealed += seal(Array(bytes[start..<end]), index: index, isLast: end == bytes.count)
        }
        return sealed
    }
}
