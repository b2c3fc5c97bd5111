package import SystemPackage

/// A firmware image in a supported file format, read from a file or from memory.
///
/// The content determines the format, never the extension of the name:
///
/// - *Intel HEX*: the first line that is not blank begins with `:` and consists mostly of
///   hexadecimal digits. One region is decoded into memory and sent.
/// - *MCUboot*: the file begins with the magic number 0x96F3B83D, little-endian. The image is
///   checked and sent unchanged. A HEX region that begins with the magic number is checked,
///   too.
/// - *bundle*: the file begins with "BLB1" (spec/bundle.md). The manifests in the bundle
///   describe the image and are sent unchanged.
/// - *raw*: any other content, sent unchanged.
///
/// A raw or MCUboot file stays on disk and is read in pieces through one open descriptor, which
/// is closed when the last copy of the value is destroyed. If another file replaces it under the
/// same name, the original is still read. If the file is overwritten or truncated in place, the
/// next read throws an error with the code `changed`.
///
/// ```swift
/// let image = try FirmwareFile(contentsOf: "firmware.hex")
/// let beginning = try image.read(at: 0, byteCount: min(256, image.byteCount))
/// ```
package struct FirmwareFile: Sendable {
    /// The length of the content to send, 1 to 2³² − 1 bytes. For a bundle, this is the length
    /// of the last variant as it is sent; ``Manifest/decodedByteCount`` is the length of the
    /// image.
    package let byteCount: Int
    /// The last component of the path, the name given with the bytes, or the name in a bundle.
    /// It is valid UTF-8 of at most 255 bytes; a longer name is truncated between two
    /// characters.
    package let name: String
    /// The format of the file.
    package let format: FileFormat
    /// The regions of an Intel HEX file in ascending order of address; empty for other formats.
    package let regions: [ImageRegion]
    /// The number of the region to send, counted from 1; `nil` unless the file is Intel HEX.
    package let regionNumber: Int?
    /// The variants of the image, if the file is a bundle; otherwise empty.
    let bundledVariants: [ImageVariant]
    /// The header and TLVs, if the content to send is an MCUboot image.
    package let mcuboot: MCUbootDescription?
    private let content: ByteSource
    /// The name of the file in error messages.
    package let fileName: String

    /// The manifest of the variant that is offered first, if the file is a bundle.
    package var manifest: Manifest? { bundledVariants.first?.manifest }

    /// The content to send, if the file is not a bundle.
    var wholeContent: ByteSource { content }

    /// The address of the first byte, if the file is Intel HEX or a bundle that states it.
    package var loadAddress: UInt64? {
        regionNumber.map { regions[$0 - 1].startAddress } ?? manifest?.loadAddress
    }

    /// The version in the manifest of a bundle, or in the MCUboot header: `1.2.3+4`, or `1.2.3`
    /// if the build number is 0.
    package var version: String? { manifest == nil ? mcuboot?.version : manifest?.version }

    /// Opens a file and recognizes its format.
    ///
    /// For a raw file, this reads only the first 64 KiB. An MCUboot image is read once as a
    /// whole, in pieces, to check its hash. Intel HEX text is read and decoded in memory: at
    /// most 64 MiB of text, and at most 64 MiB of bytes in all regions together.
    ///
    /// - Parameters:
    ///   - path: the path of a regular file of 1 to 2³² − 1 bytes, or of a symbolic link to
    ///     one.
    ///   - region: the region of an Intel HEX file to send, counted from 1 in the order of
    ///     `regions`. Default: the largest region; if several are equally large, the first of
    ///     them. For any other format, a number is an error with the code `noSuchRegion`.
    package init(contentsOf path: FilePath, region: Int? = nil) throws(FirmwareError) {
        let fileName = ImageName.shown(path.string)
        let file = try ImageFile(opening: path, fileName: fileName)
        try self.init(
            content: .file(file),
            name: ImageName.lastComponent(of: path),
            fileName: fileName,
            region: region
        )
        if format == .raw, let named = path.extension.flatMap(NamedFormat.init(extension:)) {
            try named.check(content, fileName: fileName)
        }
    }

    /// Opens a file as a raw image, whatever its content.
    ///
    /// - Parameter path: the path of the file, as for ``init(contentsOf:region:)``.
    package init(rawContentsOf path: FilePath) throws(FirmwareError) {
        fileName = ImageName.shown(path.string)
        content = .file(try ImageFile(opening: path, fileName: fileName))
        name = ImageName.lastComponent(of: path)
        format = .raw
        regions = []
        regionNumber = nil
        bundledVariants = []
        mcuboot = nil
        byteCount = content.byteCount
    }

    /// Takes an image from memory. The format is recognized as it is for a file.
    ///
    /// - Parameters:
    ///   - bytes: the content, 1 to 2³² − 1 bytes.
    ///   - name: the name of the image, truncated as described for `name`.
    ///   - region: the region of Intel HEX content to send; see ``init(contentsOf:region:)``.
    package init(bytes: [UInt8], name: String, region: Int? = nil) throws(FirmwareError) {
        let fileName = name.isEmpty ? "The image" : ImageName.shown(name)
        try Self.requireSupported(byteCount: UInt64(bytes.count), fileName: fileName)
        try self.init(
            content: .memory(bytes),
            name: ImageName.truncated(name),
            fileName: fileName,
            region: region
        )
    }

    private init(
        content: ByteSource,
        name: String,
        fileName: String,
        region: Int?
    ) throws(FirmwareError) {
        self.fileName = fileName
        if let bundle = try ImageBundle(reading: content, fileName: fileName) {
            self.name = bundle.variants[0].manifest.name ?? name
            self.bundledVariants = bundle.variants
            self.format = .bundle
            self.regions = []
            self.regionNumber = nil
            self.mcuboot = nil
            self.content = bundle.variants[bundle.variants.count - 1].content
        } else if try IntelHexText.isRecognized(in: content) {
            let hex = try IntelHexText.decode(content, fileName: fileName)
            let number = try hex.regionNumber(choosing: region, fileName: fileName)
            self.name = name
            self.bundledVariants = []
            self.format = .intelHex
            self.regions = hex.regions
            self.regionNumber = number
            self.content = .memory(hex.bytes(inRegion: number))
            self.mcuboot = try MCUbootReader.describe(self.content, fileName: fileName)
        } else {
            self.name = name
            self.bundledVariants = []
            self.mcuboot = try MCUbootReader.describe(content, fileName: fileName)
            self.format = mcuboot == nil ? .raw : .mcuboot
            self.regions = []
            self.regionNumber = nil
            self.content = content
        }
        if let region, format != .intelHex {
            throw Self.noRegions(asked: region, fileName: fileName)
        }
        self.byteCount = self.content.byteCount
    }

    /// Reads `byteCount` bytes from `offset`. May be called from several threads at once.
    ///
    /// - Parameters:
    ///   - offset: 0 to the length of the content.
    ///   - byteCount: 0 to the number of bytes left from `offset`. A range that is out of
    ///     bounds is a programming error and traps.
    /// - Throws: `changed` if the file has been overwritten or truncated since it was opened;
    ///   `io` if the system can't read it. Reading from memory never throws.
    package func read(at offset: Int, byteCount: Int) throws(FirmwareError) -> [UInt8] {
        try content.read(at: offset, byteCount: byteCount)
    }

    /// Fills all of `buffer` with the bytes from `offset` without allocating memory. Otherwise
    /// the same as ``read(at:byteCount:)``. After an error, the content of the buffer is
    /// undefined.
    package func read(
        at offset: Int,
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(FirmwareError) {
        try content.read(at: offset, into: buffer)
    }
}

extension FirmwareFile {
    /// The SHA-256 of the content to send. Reads it once, in pieces of 64 KiB.
    package func sha256() throws(FirmwareError) -> [UInt8] {
        var hasher = SHA256()
        try wholeContent.forEachPiece(of: 0..<byteCount) { (piece, _) throws(FirmwareError) in
            hasher.update(piece)
        }
        return hasher.digest
    }

    /// The SHA-256 of a whole file, regardless of its format. Devices use it to identify the
    /// image that they run. Reads the file once, in pieces of 64 KiB.
    package static func sha256(ofFile path: FilePath) throws(FirmwareError) -> [UInt8] {
        let file = try ImageFile(opening: path, fileName: ImageName.shown(path.string))
        var hasher = SHA256()
        let content = ByteSource.file(file)
        try content.forEachPiece(of: 0..<content.byteCount) { (piece, _) throws(FirmwareError) in
            hasher.update(piece)
        }
        return hasher.digest
    }

    /// The SHA-256 of bytes in memory.
    package static func sha256(of bytes: [UInt8]) -> [UInt8] { SHA256.digest(of: bytes) }

    /// The maximum length of an image. The manifest has 32 bits for the length; on a platform
    /// with a 32-bit `Int`, offsets limit the length further.
    private static var byteCountMax: UInt64 { min(UInt64(UInt32.max), UInt64(Int.max)) }

    static func requireSupported(byteCount: UInt64, fileName: String) throws(FirmwareError) {
        if byteCount == 0 {
            throw FirmwareError(
                .empty,
                fileName: fileName,
                "\(fileName) is empty; build it again, or choose another file."
            )
        }
        if byteCount > byteCountMax {
            throw FirmwareError(
                .tooLarge,
                fileName: fileName,
                "\(fileName) is \(byteCount) bytes long, but the limit is \(byteCountMax); "
                    + "send a smaller image."
            )
        }
    }

    private static func noRegions(asked region: Int, fileName: String) -> FirmwareError {
        FirmwareError(
            .noSuchRegion,
            fileName: fileName,
            "\(fileName) has no region \(region), because only Intel HEX files have regions; leave "
                + "out the region."
        )
    }
}

extension FirmwareFile {
    /// The version in the header of an MCUboot image, from its first 32 bytes; `nil` if the bytes
    /// are not such a header.
    package static func mcubootVersion(inHeader bytes: [UInt8]) -> String? {
        guard bytes.count >= MCUbootHeader.byteCountMin, MCUbootHeader.begins(bytes) else {
            return nil
        }
        return MCUbootHeader.version(bytes)
    }
}
