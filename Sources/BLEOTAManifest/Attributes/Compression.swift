/// The compression of an image for transfer (spec/bleota.md, section 4.5).
public struct Compression: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
    /// The number in the manifest, 0 to 127.
    public let rawValue: UInt8

    /// Creates a compression. Every 7-bit number is valid, but only some are assigned.
    public init(rawValue: UInt8) {
        precondition(rawValue < 128, "a compression has 7 bits; bit 7 marks an image as sealed")
        self.rawValue = rawValue
    }

    /// The image is not compressed.
    public static var none: Compression { Compression(rawValue: 0) }
    /// A zlib stream (RFC 1950).
    public static var zlib: Compression { Compression(rawValue: 1) }
    /// A Zstandard frame (RFC 8878) with the receiver's current image as its dictionary.
    public static var patch: Compression { Compression(rawValue: 2) }

    /// Whether this is one of the compression methods above.
    public var isKnown: Bool { rawValue <= Self.patch.rawValue }
}
