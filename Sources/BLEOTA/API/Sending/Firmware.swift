import BLEOTAManifest
import BLEOTAWire
public import SystemPackage

/// Firmware that can be sent: a file that was read and hashed, what its manifest says, and the
/// variants in which it may travel. Made once, for any number of transfers.
///
/// ```swift
/// let firmware = try await Firmware(contentsOf: "firmware.hex")
/// print(firmware)
/// ```
///
/// The content tells what a file is: *Intel HEX*, of which one region is sent; an *MCUboot* image,
/// which is checked; a *bundle* made by ``write(to:)``, with its manifests and signatures; anything
/// else is sent as it is, unless its name says that it should be one of the others.
///
/// A file of raw bytes stays on disk, and is read in pieces from one open descriptor. A file that
/// is written or cut in place makes a transfer fail with the code `unreadable`; one that is
/// replaced under its name goes on being read as it was.
public struct Firmware: Sendable {
    /// The file.
    package let image: FirmwareFile
    /// In which it is sent: a receiver that can't take the first is offered the next. At least one.
    package let variants: [ImageVariant]

    /// Reads a file: hashes it in pieces of 64 KiB, and compresses one of up to 64 MiB where that
    /// helps, for which it is in memory. All of that happens off the caller's actor.
    ///
    /// - Parameters:
    ///   - path: of a regular file of 1 to 2³² − 1 bytes, or of a link to one.
    ///   - options: what it is to be; none for a bundle, which says that itself.
    /// - Throws: what is wrong with the file.
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

    /// The same with the path as a text.
    public init(
        contentsOf path: String,
        options: FirmwareOptions = FirmwareOptions()
    ) async throws(FirmwareError) {
        try await self.init(contentsOf: FilePath(path), options: options)
    }

    /// Takes bytes from memory, and recognises what they are as with a file.
    ///
    /// - Parameters:
    ///   - bytes: 1 to 2³² − 1 bytes.
    ///   - name: what the manifest calls the image; cut to 255 bytes.
    ///   - options: as with a file.
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
                    "\(file.fileName) is a bundle, and says already what it is for; read the image "
                        + "itself to say something else."
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

    /// Hashes the image in pieces of 64 KiB, and compresses one of up to 64 MiB if that helps, for
    /// which it is in memory, and the compressed form stays there (see ``VariantOptions``). A
    /// bundle has its manifests and forms; for everything else they are made.
    ///
    /// - Parameter isCompressed: false if an image that is no bundle is to be sent as it is.
    /// - Throws: a ``FirmwareError`` when it can't be read or has changed, or is a bundle whose
    ///   image is not the one of its manifest.
    package init(_ image: FirmwareFile, isCompressed: Bool = true) throws(FirmwareError) {
        guard !image.bundledVariants.isEmpty else {
            var options = VariantOptions()
            options.isCompressed = isCompressed
            try self.init(image, version: nil, restrictions: ImageRestrictions(), variants: options)
            return
        }
        //= BUNDLE-2: and MUST check each form against the hashes in its manifest before it sends or
        //= reports it.
        for variant in image.bundledVariants where try !variant.isRight() {
            throw ImageBundle.malformed(
                image.fileName,
                "its image does not have the hashes in its manifest"
            )
        }
        self.init(image, image.bundledVariants)
    }

    /// Describes an image anew. A bundle describes itself, and is not taken.
    ///
    /// - Parameters:
    ///   - version: 1 to 64 bytes in UTF-8; `nil` for the one that the image states itself.
    ///   - restrictions: which devices may install it.
    ///   - forms: as what it is to be sent.
    ///   - keys: who signs it, each with its own signature.
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

    /// What is said of the image, in the variant that is offered first.
    public var manifest: Manifest { variants[0].manifest }

    /// The name of the file, or the one in its bundle.
    public var name: String { image.name }

    /// The length of the image, as the device has it in the end.
    public var byteCount: Int { manifest.decodedByteCount }

    /// The SHA-256 of the image, as the device has it in the end, 32 bytes.
    public var sha256: [UInt8] { manifest.decodedSHA256 }

    /// The form that most receivers can take: the last, which is the image as it is where there is
    /// such a form.
    var plainest: ImageVariant { variants[variants.count - 1] }

    /// The same firmware with one signature more of each key, in all variants.
    ///
    /// ```swift
    /// let bundle = try firmware.signed(by: [SigningKey(contentsOf: "release.pem")])
    /// try bundle.write(to: "firmware-2.1.0.bleota")
    /// ```
    ///
    /// - Throws: a ``FirmwareError`` with the code `tooManySignatures` where there is no room.
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
                "\(name) has no room for one more signature: a manifest holds "
                    + "\(ManifestLayout.signatureByteCountMax) bytes of them; sign with fewer keys."
            )
        }
    }
}

extension Firmware: CustomStringConvertible {
    /// One short line: `firmware.bin, 262,144 bytes, version 2.1.0`.
    public var description: String {
        let version = manifest.version.map { ", version \($0)" } ?? ""
        return "\(name), \(byteCount) bytes\(version)"
    }
}
