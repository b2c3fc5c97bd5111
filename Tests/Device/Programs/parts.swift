import BLEOTADevice

/// The checksum of a frame, by itself.
@c(bleota_measure_checksum)
public func measureChecksum(_ bytes: UnsafeRawPointer, _ byte_count: UInt32) -> UInt32 {
    var checksum = Checksum()
    checksum.update(UnsafeRawBufferPointer(start: bytes, count: Int(byte_count)).bytes)
    return UInt32(checksum.value)
}

/// The hash of a block, by itself.
@c(bleota_measure_sha256)
public func measureSHA256(
    _ bytes: UnsafeRawPointer,
    _ byte_count: UInt32,
    _ digest: UnsafeMutablePointer<UInt8>
) {
    let hash = SHA256.digest(of: UnsafeRawBufferPointer(start: bytes, count: Int(byte_count)))
    UnsafeMutableRawPointer(digest).storeBytes(of: hash.words, as: InlineArray<8, UInt32>.self)
}
