import ArgumentParser

/// The length of an image as people write it: 4096, 64K, 16M, 1G.
struct ByteCountArgument {
    /// The largest image that is taken without `--max-size`. At 200 kB/s, as fast as Bluetooth LE
    /// gets here, 256 MiB take 22 minutes. A store of such images has at most two that are verified
    /// and five that are not, each perhaps also as it travels: 12 × 256 MiB = 3 GiB, and of that
    /// no more than what peers have sent.
    static var largestImage: ByteCountArgument { ByteCountArgument(byteCount: 256 << 20) }

    let byteCount: Int

    private init(byteCount: Int) { self.byteCount = byteCount }

    init(_ text: String) throws {
        let shifts: [Character: Int] = ["K": 10, "M": 20, "G": 30]
        let shift = text.last.flatMap { shifts[$0] }
        let digits = shift == nil ? text[...] : text.dropLast()
        // The protocol knows no image that is longer.
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = UInt32(digits),
            case let byteCount = UInt64(number) << UInt64(shift ?? 0),
            byteCount > 0, byteCount <= 1 << 32
        else {
            throw ValidationError(
                "the largest image is 1 to 4294967295 bytes, as 65536, 64K, 16M or 1G, not \(text)"
            )
        }
        self.byteCount = Int(min(byteCount, UInt64(UInt32.max)))
    }
}
