/// Bytes that a vector gives as lower-case hex, in the order of sending.
package struct Hex: Decodable {
    package let bytes: [UInt8]

    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let bytes = Hex.bytes(of: text) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "no hex: \(text)")
            )
        }
        self.bytes = bytes
    }

    /// The bytes as a number, the first the lowest.
    package var littleEndianNumber: UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    package static func bytes(of text: String) -> [UInt8]? {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map {
            UInt8(digits[$0] << 4 | digits[$0 + 1])
        }
    }

    package static func text(of bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
