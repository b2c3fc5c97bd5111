import BLEOTAManifest
import BLEOTAWire
public import SystemPackage

/// Firmware that is ready to send: an image, its manifest, and the variants in which the image
/// can be transferred. One value serves any number of transfers.
/// ```swift
/// let firmware = try await Firmware(contentsOf: "firmware.hex")
/// print(firmware)
/// ```
///
/// The content of a file determines the format. One region of an *Intel HEX* file is sent. An
/// *MCUboot* image is checked first. A *bundle* written by ``write(to:)`` contains its own
/// manifests and signatures. Any other file is sent unchanged, unless its extension promises a
/// format that its content does not have: a damaged `.hex` or `.bleota` file is an error.
///
/// A file of raw bytes stays on disk and is read in pieces through one open descriptor. If the
/// file is overwritten or truncated in place, the transfer fails with the code `unreadable`. If
/// another file replaces it under the same name, the transfer still reads the original.
public struct Firmware: Sendable {
    /// The file.
    package let image: FirmwareFile
    /// The variants to send, at least one, in order of preference. A receiver that can't accept
    /// one of them is offered the next.
    package let variants: [ImageVariant]

    /// Reads a file and hashes it in pieces of 64 KiB. A file of up to 64 MiB is also loaded into
    /// memory and compressed. If compression makes the file at least 5 % smaller, the compressed
    /// variant is offered first. All of this work runs off the caller's actor, and cancelling the
    /// task does not shorten it.
    ///
    /// - Parameters:
    ///   - path: the path of a regular file of 1 to 2³² − 1 bytes, or of a symbolic link to
    ///     one.
    ///   - options: the content of the manifest, and how the image is sent. A bundle already
    ///     specifies both: for a bundle, options other than the defaults are an error with the code
    ///     `alreadyDescribed`.
    /// - Throws: a ``FirmwareError`` that describes the problem with the file.
    public init(
        contentsOf path: FilePath,
        options: FirmwareOptions = FirmwareOptions()
    ) async throws(FirmwareError) {
        self = try await Self.made(with: options) { () throws(FirmwareError) in
            options.isRaw
                ? try FirmwareFile(rawContentsOf: path)
                : try FirmwareFile(contentsOf: path, region: options.region)
        }
    }

    /// The same initializer, with the path as a string.
    public init(
        contentsOf path: String,
        options: FirmwareOptions = FirmwareOptions()
    ) async throws(FirmwareError) {
        try await self.init(contentsOf: FilePath(path), options: options)
    }

    /// Creates firmware from an image in memory. The format is recognized as it is for a file.
    /// ``FirmwareOptions/isRaw`` has no effect here.
    ///
    /// - Parameters:
    ///   - bytes: the contents of a firmware file, 1 to 2³² − 1 bytes.
    ///   - name: the name of the image in its manifest, truncated to 255 bytes of UTF-8.
    ///   - options: the content of the manifest, and how the image is sent; see
    ///     ``FirmwareOptions``.
    /// - Throws: a ``FirmwareError`` that describes the problem with the bytes.
    public init(
        bytes: [UInt8],
        name: String,
        options: FirmwareOptions = FirmwareOptions()
    ) async throws(FirmwareError) {
        self = try await Self.made(with: options) { () throws(FirmwareError) in
            try FirmwareFile(bytes: bytes, name: name, region: options.region)
        }
    }

    @concurrent private static func made(
        with options: FirmwareOptions,
        of open: @Sendable () throws(FirmwareError) -> FirmwareFile
    ) async throws(FirmwareError) -> Firmware {
        let file = try open()
        guard file.bundledVariants.isEmpty else {
            guard !options.saysSomething else {
                throw FirmwareError(
                    .alreadyDescribed,
                    fileName: file.fileName,
                    "\(file.fileName) is a bundle, whose description can't be changed; use the "
                        + "image itself to describe it differently."
                )
            }
            return try Firmware(file)
        }
        return try Firmware(
            file,
            version: options.version,
            restrictions: options.restrictions,
            variants: try options.variants()
        )
    }

    /// Hashes the image in pieces of 64 KiB. An image of up to 64 MiB is also loaded into
    /// memory and compressed, and the compressed variant stays in memory (see
    /// ``VariantOptions``). A bundle contains its manifests and variants; for any other file
    /// they are created here.
    ///
    /// - Parameter isCompressed: whether to offer a compressed variant; ignored for a bundle.
    /// - Throws: a ``FirmwareError`` if the file can't be read or has changed, or if it is a
    ///   bundle whose image does not match its manifest.
    package init(_ image: FirmwareFile, isCompressed: Bool = true) throws(FirmwareError) {
        guard !image.bundledVariants.isEmpty else {
            var options = VariantOptions()
            options.isCompressed = isCompressed
            try self.init(image, version: nil, restrictions: ImageRestrictions(), variants: options)
            return
        }
        //= BUNDLE-2: Before a reader sends or reports a form, it MUST check the form against the
        //= hashes in its manifest.
        for variant in image.bundledVariants where try !variant.isRight() {
            throw ImageBundle.malformed(
                image.fileName,
                "its image does not match the hashes in its manifest"
            )
        }
        self.init(image, image.bundledVariants)
    }

    /// Creates the manifests of an image that is not a bundle; a bundle already has its own.
    ///
    /// - Parameters:
    ///   - version: the version, 1 to 64 bytes in UTF-8; `nil` to use the version in the image
    ///     itself, if any.
    ///   - restrictions: which devices may install the image.
    ///   - variants: the variants in which the image can be sent.
    ///   - keys: the keys to sign with; each adds one signature.
    package init(
        _ image: FirmwareFile,
        version: String?,
        restrictions: ImageRestrictions,
        variants: VariantOptions = VariantOptions(),
        signedBy keys: [SigningKey] = []
    ) throws(FirmwareError) {
        precondition(image.bundledVariants.isEmpty, "a bundle describes itself")
        let describe = ImageDescription(
            image,
            version: version ?? image.version,
            restrictions: restrictions
        )
        self.init(image, try Self.signing(try variants.make(of: describe), of: image, with: keys))
    }

    private init(_ image: FirmwareFile, _ variants: [ImageVariant]) {
        self.image = image
        self.variants = variants
    }

    /// The manifest of the variant that is offered first.
    public var manifest: Manifest { variants[0].manifest }

    /// The name of the file, or for a bundle the name in its manifest.
    public var name: String { image.name }

    /// The length of the decoded image in bytes.
    public var byteCount: Int { manifest.decodedByteCount }

    /// The SHA-256 of the decoded image, 32 bytes.
    public var sha256: [UInt8] { manifest.decodedSHA256 }

    /// The variant that most receivers can accept. It is the last one: the unencoded image, if
    /// there is such a variant.
    var plainest: ImageVariant { variants[variants.count - 1] }

    /// The same firmware with one more signature by each key, in every variant.
    public func signed(by keys: [SigningKey]) throws(FirmwareError) -> Firmware {
        Firmware(image, try Self.signing(variants, of: image, with: keys))
    }

    private static func signing(
        _ variants: [ImageVariant],
        of image: FirmwareFile,
        with keys: [SigningKey]
    ) throws(FirmwareError) -> [ImageVariant] {
        do throws(ManifestError) {
            var signed: [ImageVariant] = []
            for variant in variants { signed.append(try variant.signed(by: keys)) }
            return signed
        } catch {
            let name = ImageName.shown(image.name)
            throw FirmwareError(
                .tooManySignatures,
                fileName: name,
                "\(name) has no room for another signature, because a manifest holds at most "
                    + "\(ManifestLayout.signatureByteCountMax) bytes of signatures; sign with "
                    + "fewer keys."
            )
        }
    }
}

extension Firmware: CustomStringConvertible {
    /// One short line, such as `firmware.bin, 262144 bytes, version 2.1.0`.
    public var description: String {
        let version = manifest.version.map { ", version \($0)" } ?? ""
        return "\(name), \(byteCount) bytes\(version)"
    }
}
