/// Writes manifests by hand, right ones and wrong ones, without the code under test.
struct ManifestBytes {
    var magic: [UInt8] = [0x42, 0x4C, 0x4D, 0x31]
    var formatVersion: UInt8 = 1
    var exponent: UInt8 = 8
    var reserved: (UInt16, UInt16) = (0, 0)
    var imageByteCount: UInt32 = 700
    var sha256 = [UInt8](repeating: 0xA5, count: 32)
    var attributes: [(type: UInt8, value: [UInt8])] = []
    /// Instead of `attributes`, where these can't express what is wrong.
    var rawAttributes: [UInt8]?
    /// By default as many as the image has blocks.
    var blockCount: Int?
    var signatureByteCount: UInt16 = 0

    var bytes: [UInt8] {
        let attributeBytes =
            rawAttributes
            ?? attributes.flatMap { [$0.type, UInt8($0.value.count)] + $0.value }
        let blockByteCount = 1 << Int(exponent)
        let blocks = blockCount ?? (Int(imageByteCount) + blockByteCount - 1) / blockByteCount
        var bytes = magic + [formatVersion, exponent]
        bytes += little(UInt64(reserved.0), 2)
        bytes += little(UInt64(imageByteCount), 4)
        bytes += little(UInt64(attributeBytes.count), 2)
        bytes += little(UInt64(reserved.1), 2)
        bytes += sha256 + attributeBytes
        for block in 0..<blocks { bytes += [UInt8](repeating: UInt8(block & 0xFF), count: 16) }
        return bytes + little(UInt64(signatureByteCount), 2)
    }

    private func little(_ number: UInt64, _ byteCount: Int) -> [UInt8] {
        (0..<byteCount).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
    }
}
