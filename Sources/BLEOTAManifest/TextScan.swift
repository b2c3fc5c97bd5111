import BLEOTAWire

/// What a text in a manifest is found to be.
struct TextScan {
    /// Where the well-formed UTF-8 ends: at the end of the text if all of it is, else at the first
    /// byte at which no well-formed sequence begins.
    private(set) var end: Int
    /// How many slashes there are; a zero byte counts twice.
    private(set) var slashCount = 0

    /// Goes through a text.
    ///
    /// By hand, since the standard library's own check is not there without an allocator; and not
    /// inlined, since in a microcontroller it is less code with registers of its own.
    ///
    /// - Parameter end: has been seen to be inside.
    @inline(never)
    init(of bytes: RawSpan, from start: Int, to end: Int) {
        var next = start
        // How many bytes are to follow, and what the next of them may be.
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
                // As many bytes as the first has bits set before one that is not.
                missingCount = (~UInt8(truncatingIfNeeded: byte)).leadingZeroBitCount &- 1
                // Else a shorter sequence has the number, or it is a surrogate or past U+10FFFF
                // (Unicode, table 3-7).
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
