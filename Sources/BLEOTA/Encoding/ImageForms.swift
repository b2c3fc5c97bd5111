import BLEOTACore
import Crypto

/// As what an image is to be sent. The smallest form is offered first, and the others to receivers
/// that can't take it.
///
/// ```swift
/// var forms = ImageForms()
/// forms.recipients = [lamps]
/// let sealed = try PreparedImage(image, version: "2", restrictions: restrictions, forms: forms)
/// ```
///
/// Forms other than the image as it is are made in memory, of images of at most 64 MiB.
public struct ImageForms: Sendable {
    /// Whether it is compressed where that makes it smaller by a twentieth or more. Default: yes.
    public var isCompressed = true
    /// For whom it is sealed, up to 3; nobody else gets it then. Default: nobody, and it is not.
    public var recipients: [SealingKey] = []
    #if Delta
    /// The image that devices have, so that those get a patch. Default: none.
    public var base: FirmwareImage?
    #endif

    /// The defaults.
    public init() {}

    /// What has a form in memory is no longer than this.
    static let byteCountMax = 1 << 26

    /// - Throws: an ``ImageError`` where the image can't be read, or is too long to be sealed or to
    ///   be made a patch of.
    func make(of description: ImageDescription) throws(ImageError) -> [ImageForm] {
        let image = description.image
        let isLong = image.byteCount > Self.byteCountMax
        if isLong, recipients.isEmpty, !needsBase {
            return [try description.form(as: nil, image.wholeContent)]
        }
        if isLong {
            throw ImageError(
                .tooLarge,
                fileName: image.name,
                "\(image.name) has \(image.byteCount) bytes, and what is sealed or made a patch of "
                    + "has at most \(Self.byteCountMax); send it as it is."
            )
        }
        let bytes = try image.read(at: 0, byteCount: image.byteCount)
        let sha256 = bytes.withUnsafeBytes { Array(SHA256.digest(of: $0)) }
        var forms: [ImageForm] = []
        for candidate in try candidates(bytes) {
            let statement = EncodingStatement(
                compression: candidate.compression,
                byteCount: bytes.count,
                sha256: sha256,
                base: candidate.baseSHA256
            )
            forms.append(
                try form(candidate.bytes, statement, of: description)
            )
        }
        return forms
    }

    private struct Candidate {
        var compression: Compression
        var bytes: [UInt8]
        var baseSHA256: [UInt8]?
    }

    /// The smallest first, the image as it is at the end.
    private func candidates(_ bytes: [UInt8]) throws(ImageError) -> [Candidate] {
        var found = [Candidate(compression: .none, bytes: bytes)]
        if isCompressed {
            let most = bytes.count - (bytes.count + 19) / 20
            let deflated = Deflater.deflate(bytes.count, byteCountMax: most) {
                Array(bytes[$0..<$0 + $1])
            }
            if let deflated {
                found.insert(Candidate(compression: .zlib, bytes: deflated), at: 0)
            }
        }
        #if Delta
        if let base {
            guard base.bundledForms.last?.manifest.encoding == nil else {
                throw ImageError(
                    .malformedBundle,
                    fileName: base.name,
                    "\(base.name) is a bundle that does not have the image as devices have it; "
                        + "name the image itself."
                )
            }
            guard base.byteCount <= Self.byteCountMax else {
                throw ImageError(
                    .tooLarge,
                    fileName: base.name,
                    "\(base.name) has \(base.byteCount) bytes, and a patch is made against at most "
                        + "\(Self.byteCountMax); send the image as it is."
                )
            }
            let old = try base.read(at: 0, byteCount: base.byteCount)
            if old.count >= Patch.baseByteCountMin,
                case let patch = Patch.make(of: bytes, from: old),
                patch.count < found[0].bytes.count
            {
                let sha256 = old.withUnsafeBytes { Array(SHA256.digest(of: $0)) }
                found.insert(
                    Candidate(compression: .patch, bytes: patch, baseSHA256: sha256),
                    at: 0
                )
            }
        }
        #endif
        return found
    }

    private var needsBase: Bool {
        #if Delta
        base != nil
        #else
        false
        #endif
    }

    private func form(
        _ bytes: [UInt8],
        _ statement: EncodingStatement,
        of description: ImageDescription
    ) throws(ImageError) -> ImageForm {
        if recipients.isEmpty {
            guard statement.compression != .none else {
                return try description.form(as: nil, description.image.wholeContent)
            }
            return try description.form(as: statement, .memory(bytes))
        }
        let (seal, attribute): (ContentSeal, [UInt8])
        do throws(KeyError) {
            (seal, attribute) = try ContentSeal.make(for: Array(Set(recipients)))
        } catch {
            throw ImageError(.unusableKey, fileName: description.image.name, error.description)
        }
        var statement = statement
        statement.seal = attribute
        let sealed = seal.seal(all: bytes, blockByteCount: ImageDescription.blockByteCount)
        return try description.form(as: statement, .memory(sealed))
    }
}

extension ContentSeal {
    /// All of an image, in pieces that are blocks when they are sealed.
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
