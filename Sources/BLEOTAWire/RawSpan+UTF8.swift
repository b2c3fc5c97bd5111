extension RawSpan {
    /// Where the well-formed UTF-8 ends that begins at `start`: at `end` if all of it is, else at
    /// the first byte at which no well-formed sequence begins.
    ///
    /// By hand, since the standard library's own check is not there without an allocator; and not
    /// inlined, since in a microcontroller it is less code with registers of its own.
    ///
    /// - Parameter end: has been seen to be inside.
    @inline(never)
    func endOfUTF8(from start: Int, to end: Int) -> Int {
        var (offset, next) = (start, start)
        // How many bytes are to follow, and what the next of them may be.
        var missingCount = 0
        var (lowest, highest) = (0x80, 0xBF)
        while next < end {
            let byte = Int(number(uncheckedAt: next, as: UInt8.self))
            next &+= 1
            if missingCount > 0 {
                guard byte >= lowest, byte <= highest else { break }
                missingCount &-= 1
                (lowest, highest) = (0x80, 0xBF)
            } else if byte >= 0x80 {
                guard byte >= 0xC2, byte <= 0xF4 else { break }
                missingCount = byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3
                // Else a shorter sequence has the number, or it is a surrogate or past U+10FFFF
                // (Unicode, table 3-7).
                if byte == 0xE0 { lowest = 0xA0 }
                if byte == 0xED { highest = 0x9F }
                if byte == 0xF0 { lowest = 0x90 }
                if byte == 0xF4 { highest = 0x8F }
            }
            if missingCount == 0 { offset = next }
        }
        return offset
    }
}
