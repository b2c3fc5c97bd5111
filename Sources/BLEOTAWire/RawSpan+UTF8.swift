extension RawSpan {
    /// The offset of the first byte in `range` at which no well-formed UTF-8 sequence begins, or
    /// `nil` if the whole range is UTF-8.
    ///
    /// By hand, since the standard library's own check is not there without an allocator.
    func firstOffsetNotUTF8(in range: Range<Int>) -> Int? {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let lead = byte(at: offset)
            guard let form = UTF8Form(lead: lead),
                form.continuationCount < range.upperBound - offset
            else { return offset }
            for position in 0..<form.continuationCount {
                let allowed = position == 0 ? form.firstContinuation : 0x80...0xBF
                guard allowed.contains(byte(at: offset + 1 + position)) else { return offset }
            }
            offset += 1 + form.continuationCount
        }
        return nil
    }
}

/// What may follow the first byte of a UTF-8 sequence.
///
/// The second byte is held to a narrower range after four of the lead bytes, which rules out
/// overlong forms, surrogates and numbers past U+10FFFF.
private struct UTF8Form {
    let continuationCount: Int
    let firstContinuation: ClosedRange<UInt8>

    init?(lead: UInt8) {
        switch lead {
        case 0x00...0x7F: continuationCount = 0
        case 0xC2...0xDF: continuationCount = 1
        case 0xE0...0xEF: continuationCount = 2
        case 0xF0...0xF4: continuationCount = 3
        default: return nil
        }
        switch lead {
        case 0xE0: firstContinuation = 0xA0...0xBF
        case 0xED: firstContinuation = 0x80...0x9F
        case 0xF0: firstContinuation = 0x90...0xBF
        case 0xF4: firstContinuation = 0x80...0x8F
        default: firstContinuation = 0x80...0xBF
        }
    }
}
