import BLEOTAWire

/// The result of scanning a string in a manifest.
struct TextScan {
    /// The end of the well-formed UTF-8: the end of the string, or the first byte at which no
    /// well-formed sequence begins.
    private(set) var end: Int
    /// The number of slashes, plus 2 for each zero byte.
    private(set) var slashCount = 0

    /// Scans a string.
    ///
    /// The scan is written by hand, because the standard library's validation is not available
    /// without an allocator. It is not inlined: as a separate function, it has its own register
    /// allocation, which makes the code smaller on a microcontroller.
    ///
    /// - Parameter end: the end of the string, which the caller has checked to be in bounds.
    @inline(never)
    init(of bytes: RawSpan, from start: Int, to end: Int) {
        var next = start
        // The number of continuation bytes to come, and the range of the next one.
        var missingCount = 0
        var (lowest, highest) = (0x80, 0xBF)
        self.end = start
        while next < end {
            let byte = Int(bytes.number(uncheckedAt: next, as: UInt8.self))
            next &+= 1
            if missingCount > 0 {
                guard byte >= lowest, byte <= highest else { return }
                missingCount &-= 1
                (lowest, highest) = (0x80, 0xBF)
            } else if byte >= 0x80 {
                guard byte >= 0xC2, byte <= 0xF4 else { return }
                // The first byte has as many leading one bits as the sequence has bytes.
                missingCount = (~UInt8(truncatingIfNeeded: byte)).leadingZeroBitCount &- 1
                // With any other next byte, the sequence would be overlong, a surrogate, or above
                // U+10FFFF (Unicode, table 3-7).
                if byte == 0xE0 { lowest = 0xA0 }
                if byte == 0xED { highest = 0x9F }
                if byte == 0xF0 { lowest = 0x90 }
                if byte == 0xF4 { highest = 0x8F }
            } else if byte == 0 || byte == Int(UInt8(ascii: "/")) {
                slashCount &+= byte == 0 ? 2 : 1
            }
            if missingCount == 0 { self.end = next }
        }
    }
}
