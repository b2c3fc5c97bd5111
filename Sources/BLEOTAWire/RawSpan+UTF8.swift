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
        var offset = start
        while offset < end {
            let lead = number(uncheckedAt: offset, as: UInt8.self)
            var next = offset &+ 1
            if lead >= 0x80 {
                // As many bytes as the first has bits set before one that is not.
                let sequenceEnd = offset &+ (~lead).leadingZeroBitCount
                guard 0xC2...0xF4 ~= lead, sequenceEnd <= end else { break }
                var continuation = Self.secondBytes(after: lead)
                while next < sequenceEnd {
                    let byte = number(uncheckedAt: next, as: UInt8.self)
                    guard continuation ~= byte else { return offset }
                    continuation = 0x80...0xBF
                    next &+= 1
                }
            }
            offset = next
        }
        return offset
    }

    /// What may follow the first of several bytes: else a shorter sequence has the number, or it is
    /// a surrogate or past U+10FFFF (Unicode, table 3-7).
    private static func secondBytes(after lead: UInt8) -> ClosedRange<UInt8> {
        switch lead {
        case 0xE0: 0xA0...0xBF
        case 0xED: 0x80...0x9F
        case 0xF0: 0x90...0xBF
        case 0xF4: 0x80...0x8F
        default: 0x80...0xBF
        }
    }
}
