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
            let byteCount = byteCountOfUTF8Sequence(at: offset, to: end)
            if byteCount == 0 { break }
            offset &+= byteCount
        }
        return offset
    }

    /// How long the UTF-8 sequence is that begins at `start`, before `end`; 0 if none does.
    private func byteCountOfUTF8Sequence(at start: Int, to end: Int) -> Int {
        let lead = number(uncheckedAt: start, as: UInt8.self)
        if lead < 0x80 { return 1 }
        // As many bytes as the first has bits set before one that is not.
        let sequenceByteCount = (~lead).leadingZeroBitCount
        // 0x80 to 0xBF begin nothing, 0xC0 and 0xC1 what fits one byte, and those past 0xF4 what is
        // past U+10FFFF.
        guard 0xC2...0xF4 ~= lead, sequenceByteCount <= end &- start else { return 0 }
        var number = UInt32(lead) & 0x7F &>> UInt32(sequenceByteCount)
        var offset = start
        while offset &- start < sequenceByteCount &- 1 {
            offset &+= 1
            let byte = self.number(uncheckedAt: offset, as: UInt8.self)
            guard byte & 0xC0 == 0x80 else { return 0 }
            number = number << 6 | UInt32(byte & 0x3F)
        }
        // Of three bytes or more, n, there are 5n + 1 bits of the number, and if the upper five are
        // zero, a shorter sequence has it. Surrogates and what is past U+10FFFF are no scalars.
        let isShortest = number &>> UInt32(5 &* sequenceByteCount &- 4) != 0
        return isShortest && Unicode.Scalar(number) != nil ? sequenceByteCount : 0
    }
}
