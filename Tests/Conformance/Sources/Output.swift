import Platform

/// Text for whoever runs the program.
enum Output {
    static func write(_ text: StaticString) {
        platform_write(text.utf8Start, UInt32(text.utf8CodeUnitCount))
    }

    static func write(_ bytes: UnsafeRawBufferPointer) {
        if let start = bytes.baseAddress { platform_write(start, UInt32(bytes.count)) }
    }

    static func write(_ byte: UInt8) { withUnsafeBytes(of: byte) { write($0) } }

    static func write(_ count: Int) {
        Digits.ofDecimal(UInt64(count)) { write($0) }
    }

    static func write(hex number: UInt32) {
        Digits.ofHex(UInt64(number), count: 8) { write($0) }
    }
}
