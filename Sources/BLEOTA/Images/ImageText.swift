/// Formats numbers for messages about images.
enum ImageText {
    /// A count with its unit, such as `1 byte` or `2 bytes`.
    static func count(_ count: Int, _ unit: String) -> String {
        "\(count) \(unit)" + (count == 1 ? "" : "s")
    }

    /// Uppercase hexadecimal digits, as many as the type holds, such as `0A` for a byte.
    static func digits<Value: FixedWidthInteger & UnsignedInteger>(_ value: Value) -> String {
        padded(value, digitCount: Value.bitWidth / 4)
    }

    /// An address in the format of a linker map, such as `0x0800C000`.
    static func address(_ address: UInt64) -> String { "0x" + padded(address, digitCount: 8) }

    private static func padded(_ value: some UnsignedInteger, digitCount: Int) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digitCount - digits.count)) + digits
    }
}
