/// Writes the part of CBOR (RFC 8949) that the fleet uses: numbers, bytes, texts, arrays, null,
/// each in its shortest form.
///
/// CBOR rather than JSON, because a digest is 32 bytes and not 64, a record of a million is a
/// third as long, and the reader is a page that needs no library: no numbers with fractions, no
/// escapes, one form of each value, so that equal values are equal bytes. `bleota-fleet` shows
/// people what it says.
struct CBORWriter {
    private(set) var bytes: [UInt8] = []

    mutating func write(_ number: UInt64) { head(0, number) }

    /// A number that may be negative.
    mutating func write(signed number: Int64) {
        number < 0 ? head(1, UInt64(-1 - number)) : head(0, UInt64(number))
    }

    mutating func write(_ bytes: [UInt8]) {
        head(2, UInt64(bytes.count))
        self.bytes += bytes
    }

    mutating func write(_ text: String) {
        head(3, UInt64(text.utf8.count))
        bytes += Array(text.utf8)
    }

    /// The items follow.
    mutating func array(_ count: Int) { head(4, UInt64(count)) }

    mutating func null() { bytes.append(0xF6) }

    private mutating func head(_ type: UInt8, _ number: UInt64) {
        let type = type << 5
        switch number {
        case 0..<24: bytes.append(type | UInt8(number))
        case 24...0xFF: append(type | 24, number, byteCount: 1)
        case 0x100...0xFFFF: append(type | 25, number, byteCount: 2)
        case 0x1_0000...0xFFFF_FFFF: append(type | 26, number, byteCount: 4)
        default: append(type | 27, number, byteCount: 8)
        }
    }

    private mutating func append(_ first: UInt8, _ number: UInt64, byteCount: Int) {
        bytes.append(first)
        for index in (0..<byteCount).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * index)))
        }
    }
}
