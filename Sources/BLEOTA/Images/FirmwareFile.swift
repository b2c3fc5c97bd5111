package import SystemPackage

/// A firmware image ready to be sent: what `push` takes.
///
/// The format is recognised by content, never by the ending of the name:
///
/// - *Intel HEX*: the first line that is not blank begins with `:` and is nearly all
///   hexadecimal digits. One region is decoded into memory and sent.
/// - *MCUboot*: the first four bytes are the magic number 0x96F3B83D, little-endian. The image is
///   checked and sent as it is. A HEX region that begins with the magic number is checked as well.
/// - *bundle*: the first four bytes are "BLB1" (spec/bundle.md). The manifests in it say what the
///   image is, and go with it as they are.
/// - *raw*: everything else, sent as it is.
///
/// A raw or MCUboot file stays on disk: it is read in pieces from one open descriptor, which closes
/// when the last copy of the value goes away. A file that is replaced by another under its name
/// goes on being read as it was; a file that is written or cut in place makes the next read throw
/// an error with the code `changed`.
///
/// ```swift
/// let image = try FirmwareFile(contentsOf: "firmware.hex")
/// let beginning = try image.read(at: 0, byteCount: min(256, image.byteCount))
/// ```
package struct FirmwareFile: Sendable {
    /// The number of bytes in it, 1 to 2³² − 1. Of a bundle, that of its last form as it travels;
    /// ``Manifest/decodedByteCount`` is that of the image.
    package let byteCount: Int
    /// The last component of the path, or the name given with the bytes: valid UTF-8, at most 255
    /// bytes, cut between two characters where it was longer.
    package let name: String
    /// What the file is.
    package let format: FileFormat
    /// The regions of an Intel HEX file in ascending order of address; empty for other formats.
    package let regions: [ImageRegion]
    /// Which of `regions` is sent, counted from 1; `nil` unless the file is Intel HEX.
    package let regionNumber: Int?
    /// The forms of the image, where the file is a bundle.
    let bundledVariants: [ImageVariant]
    /// The header and TLVs, where what is sent is an MCUboot image.
    package let mcuboot: MCUbootDescription?
    private let content: ByteSource
    /// What errors call it.
    let fileName: String

    /// The manifest, where the file is a bundle: that of the form which is offered first.
    package var manifest: Manifest? { bundledVariants.first?.manifest }

    /// All of the image, where the file is no bundle.
    var wholeContent: ByteSource { content }

    /// The address of the first byte, where the file is Intel HEX.
    package var loadAddress: UInt64? {
        regionNumber.map { regions[$0 - 1].startAddress } ?? manifest?.loadAddress
    }

    /// The version in the manifest of a bundle, or in the MCUboot header: `1.2.3+4`, or `1.2.3`
    /// where the build number is 0.
    package var version: String? { manifest == nil ? mcuboot?.version : manifest?.version }

    /// Opens a file and recognises what it is.
    ///
    /// Costs one look at the first 64 KiB of a raw file. An MCUboot image is read once as a whole,
    /// in pieces, to check its hash. Intel HEX text is read and decoded in memory: at most 64 MiB
    /// of text, and at most 64 MiB of bytes in all regions together.
    ///
    /// - Parameters:
    ///   - path: A regular file, or a symbolic link to one, of 1 to 2³² − 1 bytes.
    ///   - region: Which region of an Intel HEX file to send, counted from 1 in the order of
    ///     `regions`. By default the largest, and of equally large ones the first. Other formats
    ///     have none, and refuse a number with `noSuchRegion`.
    package init(contentsOf path: FilePath, region: Int? = nil) throws(FirmwareError) {
        let fileName = ImageName.shown(path.string)
        let file = try ImageFile(opening: path, fileName: fileName)
        try self.init(
            content: .file(file),
            name: ImageName.lastComponent(of: path),
            fileName: fileName,
            region: region
        )
    }

    /// Opens a file and takes it as a raw image, whatever it is.
    ///
    /// - Parameter path: as with ``init(contentsOf:region:)``.
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

    /// Takes an image from memory, and recognises what it is as with a file.
    ///
    /// - Parameters:
    ///   - bytes: 1 to 2³² − 1 bytes.
    ///   - name: What to call the image; cut as `name` says.
    ///   - region: As with a file.
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
    ///   - offset: 0 to the byte count of the image.
    ///   - byteCount: 0 to what is left from `offset`. A range beyond the image is a mistake of the
    ///     caller and traps.
    /// - Throws: `changed` if the file was written or cut since it was opened, `io` if the system
    ///   cannot read it. Never for an image in memory.
    package func read(at offset: Int, byteCount: Int) throws(FirmwareError) -> [UInt8] {
        try content.read(at: offset, byteCount: byteCount)
    }

    /// Fills the whole of `buffer` with the bytes from `offset`, as the other `read` does, without
    /// allocating. After an error the content of the buffer is undefined.
    package func read(
        at offset: Int,
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(FirmwareError) {
        try content.read(at: offset, into: buffer)
    }
}

extension FirmwareFile {
    /// The SHA-256 of a whole file, whatever is in it: how a device names the image that it runs.
    /// Reads it once, in pieces of 64 KiB.
    package static func sha256(ofFile path: FilePath) throws(FirmwareError) -> [UInt8] {
        let file = try ImageFile(opening: path, fileName: ImageName.shown(path.string))
        var hasher = SHA256()
        let content = ByteSource.file(file)
        try content.forEachPiece(of: 0..<content.byteCount) { (piece, _) throws(FirmwareError) in
            hasher.update(piece)
        }
        return hasher.digest
    }

    /// The manifest holds the byte count in 32 bits, and zero bytes are no image. Where `Int` has
    /// 32 bits, offsets end earlier.
    private static var byteCountMax: UInt64 { min(UInt64(UInt32.max), UInt64(Int.max)) }

    static func requireSupported(byteCount: UInt64, fileName: String) throws(FirmwareError) {
        if byteCount == 0 {
            throw FirmwareError(
                .empty,
                fileName: fileName,
                "\(fileName) is empty; build it again or name another file."
            )
        }
        if byteCount > byteCountMax {
            throw FirmwareError(
                .tooLarge,
                fileName: fileName,
                "\(fileName) has \(byteCount) bytes, and an image has at most \(byteCountMax); "
                    + "send a smaller one."
            )
        }
    }

    private static func noRegions(asked region: Int, fileName: String) -> FirmwareError {
        FirmwareError(
            .noSuchRegion,
            fileName: fileName,
            "\(fileName) has no region \(region), because only Intel HEX files have regions; "
                + "leave the region out."
        )
    }
}
