import CZlib

/// The CRC-32 of prefixes of an array. If a prefix is at least as long as the previous one, only
/// the added bytes are read.
struct PrefixChecksum {
    let bytes: [UInt8]
    private var byteCount = 0
    private var checksum: UInt32 = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// - Parameter count: 0 to the length of the array.
    mutating func checksum(ofFirst count: Int) -> UInt32 {
        if count < byteCount { (byteCount, checksum) = (0, 0) }
        let part = bytes[byteCount..<count]
        checksum = part.withUnsafeBytes { buffer in
            guard let start = buffer.baseAddress, !buffer.isEmpty else { return checksum }
            let first = start.assumingMemoryBound(to: UInt8.self)
            return UInt32(truncatingIfNeeded: crc32(UInt(checksum), first, UInt32(buffer.count)))
        }
        byteCount = count
        return checksum
    }
}
