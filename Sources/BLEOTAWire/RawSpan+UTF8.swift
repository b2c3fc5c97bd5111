extension RawSpan {
    /// Where the well-formed UTF-8 ends that begins at `start`: at the end of the span if all of it
    /// is, else at the first byte at which no well-formed sequence begins.
    ///
    /// By hand, since the standard library's own check is not there without an allocator; and not
    /// inlined, since in a microcontroller it is less code with registers of its own.
    @inline(never)
    func endOfUTF8(from start: Int) -> Int {
        var offset = start
        while offset < byteCount {
            let byteCount = byteCountOfUTF8Sequence(at: offset)
            if byteCount == 0 { break }
            offset &+= byteCount
        }
        return offset
    }

    /// How long the UTF-8 sequence is that begins at `start`, which is inside; 0 if none does.
    private func byteCountOfUTF8Sequence(at start: Int) -> Int {
        let lead = byte(at: start)
        if lead < 0x80 { return 1 }
        // As many bytes as the first has bits set before one that is not.
        let sequenceByteCount = (~lead).leadingZeroBitCount
        // 0x80 to 0xBF begin nothing, and 0xC0 and 0xC1 what fits one byte.
        guard lead > 0xC1, sequenceByteCount <= byteCount &- start else { return 0 }
        var number = UInt32(lead) & 0x7F >> UInt32(sequenceByteCount)
        var offset = 1
        while offset < sequenceByteCount {
            let byte = byte(at: start &+ offset)
            guard byte & 0xC0 == 0x80 else { return 0 }
            number = number << 6 | UInt32(byte & 0x3F)
            offset &+= 1
        }
        // Of three bytes or more, n, there are 5n + 1 bits of the number, and if the upper five are
        // zero, a shorter sequence has it. Surrogates and what is past U+10FFFF are no scalars.
        let isShortest = number >> UInt32(5 &* sequenceByteCount &- 4) != 0
        return isShortest && Unicode.Scalar(number) != nil ? sequenceByteCount : 0
    }
}
