import BLEOTADevice

/// The hash of a device, whose vectors run along.
extension SHA256 {
    /// The hash of bytes.
    static func hash(_ bytes: RawSpan) -> InlineArray<32, UInt8> {
        bytes.withUnsafeBytes { bytes in digest(of: bytes).bytes }
    }
}

extension Digest {
    /// Its bytes in their order.
    var bytes: InlineArray<32, UInt8> {
        // SAFETY: the words lie in memory as the bytes do, and are as many.
        unsafeBitCast(words, to: InlineArray<32, UInt8>.self)
    }
}
