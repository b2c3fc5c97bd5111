package import BLEOTA

/// An application image of ESP-IDF.
package struct ESPImage: Sendable {
    /// The maximum length of a file, which is larger than the flash of any device. The image is
    /// read into memory.
    package static let byteCountMax = 64 << 20

    /// The first byte of an image. Source: ESP-IDF, "Application Image Structures".
    private static let firstByte: UInt8 = 0xE9

    package let bytes: [UInt8]

    package var sha256: [UInt8] { FirmwareFile.sha256(of: bytes) }

    /// Reads an image.
    ///
    /// - Throws: a ``FirmwareError`` with the code `unsuitable` if the file is not such an image,
    ///   `tooLarge` if it is too long, or another code if the file can't be read.
    package init(_ file: FirmwareFile) throws(FirmwareError) {
        guard file.byteCount <= Self.byteCountMax else {
            throw FirmwareError(
                .tooLarge,
                fileName: file.fileName,
                "\(file.fileName) is \(file.byteCount) bytes long, but the limit for an ESP "
                    + "application is \(Self.byteCountMax); choose another file."
            )
        }
        bytes = try file.read(at: 0, byteCount: file.byteCount)
        guard bytes.first == Self.firstByte else {
            throw FirmwareError(
                .unsuitable,
                fileName: file.fileName,
                "\(file.fileName) is not an ESP application, because it does not begin with 0xE9; "
                    + "build one with 'idf.py build', which makes build/NAME.bin."
            )
        }
    }
}
