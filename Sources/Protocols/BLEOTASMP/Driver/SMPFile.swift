import BLEOTA

/// A file that a device with MCUboot can use, and the facts that SMP states about it.
struct SMPFile: Sendable {
    let file: FirmwareFile
    /// The SHA-256 of the whole file.
    let sha256: [UInt8]
    /// The hash in the image's TLVs, by which the device names the image.
    let imageHash: [UInt8]

    /// - Throws: a ``FirmwareError`` with the code `unsuitable` if the file is not an MCUboot
    ///   image.
    init(_ file: FirmwareFile) throws(FirmwareError) {
        self.file = file
        guard file.manifest == nil else {
            throw Self.unsuitable(
                file,
                "is a bleota bundle, which this device can't use; push the MCUboot image that it "
                    + "was made from"
            )
        }
        guard let image = file.mcuboot else {
            throw Self.unsuitable(
                file,
                "is not an MCUboot image, which a device that speaks SMP needs; push the signed "
                    + "image from the build, such as zephyr.signed.bin, or sign the binary with "
                    + "imgtool sign"
            )
        }
        if image.hasTrailer {
            throw Self.unsuitable(
                file,
                "is padded to the size of a slot and ends with a trailer, so a device would run it "
                    + "after a restart without being asked to, and without a trial if the trailer "
                    + "confirms it; push an image signed without padding"
            )
        }
        let isHash = { (tlv: MCUbootTLV) in tlv.isImageHash }
        guard let entry = image.tlvs.first(where: isHash) else {
            throw Self.unsuitable(
                file,
                "lacks the hash TLV by which a device identifies an image; sign it with a version "
                    + "of imgtool that adds one"
            )
        }
        imageHash = try file.read(at: entry.valueOffset, byteCount: entry.byteCount)
        sha256 = try file.sha256()
    }

    private static func unsuitable(_ file: FirmwareFile, _ problem: String) -> FirmwareError {
        FirmwareError(.unsuitable, fileName: file.fileName, "\(file.fileName) \(problem).")
    }
}
