/// A number of 64 bits that a vector gives as a text such as `"0x00000000000000ff"`.
package struct HexNumber: Decodable {
    package let value: UInt64

    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard text.hasPrefix("0x"), let value = UInt64(text.dropFirst(2), radix: 16) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "no number: \(text)")
            )
        }
        self.value = value
    }
}
