import ArgumentParser

/// The size of an image: `4096`, `64K`, `16M` or `1G`.
struct ByteCountArgument {
    /// The largest image that is accepted without `--max-size`. At 200 kB/s, the highest rate of
    /// Bluetooth LE here, 256 MiB takes 22 minutes. A store has at most two verified images of
    /// this size and five unverified ones, each of the five possibly also in its encoded form:
    /// 12 × 256 MiB = 3 GiB. This space is taken only as images arrive and are decoded.
    static var largestImage: ByteCountArgument { ByteCountArgument(byteCount: 256 << 20) }

    let byteCount: Int

    private init(byteCount: Int) { self.byteCount = byteCount }

    init(_ text: String) throws {
        let shifts: [Character: Int] = ["K": 10, "M": 20, "G": 30]
        let shift = text.last.flatMap { shifts[$0] }
        let digits = shift == nil ? text[...] : text.dropLast()
        // The protocol supports no larger image.
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = UInt32(digits),
            case let byteCount = UInt64(number) << UInt64(shift ?? 0),
            byteCount > 0, byteCount <= 1 << 32
        else {
            throw ValidationError(
                "a size must be 1 to 4294967295 bytes, such as 65536, 64K, 16M or 1G, not \(text)"
            )
        }
        self.byteCount = Int(min(byteCount, UInt64(UInt32.max)))
    }
}
