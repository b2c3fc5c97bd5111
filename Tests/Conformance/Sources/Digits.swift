/// Numbers as ASCII, one digit after the other: there is no memory for a text.
enum Digits {
    static func ofDecimal(_ number: UInt64, _ body: (UInt8) -> Void) {
        var divisor: UInt64 = 1
        while number / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            body(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }

    static func ofHex(_ number: UInt64, count: Int, _ body: (UInt8) -> Void) {
        for position in (0..<count).reversed() {
            let digit = UInt8(number >> UInt64(4 * position) & 0xF)
            body(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }
}
