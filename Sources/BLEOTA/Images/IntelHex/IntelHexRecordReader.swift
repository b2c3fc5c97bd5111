/// Reads Intel HEX text record by record: digits, lengths and checksums.
///
/// A line ends with CR, LF or both; blank lines, and blanks around a record, are passed over.
/// This file does not know what addresses mean.
struct IntelHexRecordReader {
    /// A record is length, address (2), type, data and checksum.
    private static let dataOffset = 4
    private static let overheadByteCount = 5
    private static let byteCountMax = overheadByteCount + 255

    /// The line reached, counted from 1.
    private(set) var line = 1
    /// The line of the record read last; 1 before any.
    private(set) var recordLine = 1
    private let text: [UInt8]
    private var position: Int
    /// The bytes of the record read last; kept from record to record, so that none is allocated.
    private var bytes = [UInt8](repeating: 0, count: byteCountMax)
    /// A copy of the table at hand, because text is decoded as fast as digits are looked up.
    private let digitValues = digitValuesOfCharacters

    init(text: [UInt8]) {
        self.text = text
        self.position = IntelHexText.byteOrderMarkByteCount(text)
    }

    /// One data byte of the record read last.
    func data(at index: Int) -> UInt8 { bytes[Self.dataOffset + index] }

    /// The data of the record read last.
    func data(_ range: Range<Int>) -> ArraySlice<UInt8> {
        bytes[(Self.dataOffset + range.lowerBound)..<(Self.dataOffset + range.upperBound)]
    }

    /// Whether anything but blanks is left; afterwards `line` is that of what was found.
    mutating func findText() -> Bool {
        while position < text.count {
            switch text[position] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"):
                position += 1
            case UInt8(ascii: "\r"):
                position += 1
                if position < text.count, text[position] == UInt8(ascii: "\n") { position += 1 }
                line += 1
            case UInt8(ascii: "\n"):
                position += 1
                line += 1
            default:
                return true
            }
        }
        return false
    }

    /// The next record, or `nil` at the end of the text.
    mutating func next() throws(IntelHexFault) -> IntelHexRecord? {
        guard findText() else { return nil }
        recordLine = line
        guard text[position] == UInt8(ascii: ":") else {
            throw fault(.noColon(found: text[position]))
        }
        let byteCount = try readBytes()
        return try checkedRecord(byteCount: byteCount)
    }

    /// Decodes the digits of the line into `bytes`, and returns how many bytes there were, which
    /// may be more than a record can have.
    private mutating func readBytes() throws(IntelHexFault) -> Int {
        let start = position + 1
        position = start
        var byteCount = 0
        while position + 1 < text.count {
            let high = digitValues[Int(text[position])]
            let low = digitValues[Int(text[position + 1])]
            if (high | low) > 0x0F { break }
            if byteCount < bytes.count { bytes[byteCount] = high << 4 | low }
            byteCount += 1
            position += 2
        }
        if position < text.count, digitValues[Int(text[position])] <= 0x0F { position += 1 }
        let digitCount = position - start
        try requireEndOfLine()
        if digitCount % 2 != 0 { throw fault(.oddDigitCount(digitCount)) }
        return byteCount
    }

    private mutating func requireEndOfLine() throws(IntelHexFault) {
        let digitsEnd = position
        while position < text.count {
            switch text[position] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"): position += 1
            case UInt8(ascii: "\r"), UInt8(ascii: "\n"): return
            default: throw fault(badCharacter(at: digitsEnd))
            }
        }
    }

    private func badCharacter(at offset: Int) -> IntelHexFault.Problem {
        var lineStart = offset
        while lineStart > 0, !IntelHexText.endsLine(text[lineStart - 1]) { lineStart -= 1 }
        return .badCharacter(found: text[offset], column: offset - lineStart + 1)
    }

    private func checkedRecord(byteCount: Int) throws(IntelHexFault) -> IntelHexRecord {
        if byteCount < Self.overheadByteCount { throw fault(.tooShort(byteCount: byteCount)) }
        let dataByteCount = byteCount - Self.overheadByteCount
        let statedByteCount = Int(bytes[0])
        if dataByteCount != statedByteCount {
            throw fault(.length(found: dataByteCount, expected: statedByteCount))
        }
        var sum: UInt8 = 0
        for index in 0..<(byteCount - 1) { sum &+= bytes[index] }
        let checksum = bytes[byteCount - 1]
        if checksum != 0 &- sum { throw fault(.checksum(found: checksum, expected: 0 &- sum)) }
        return try record(dataByteCount: dataByteCount)
    }

    private func record(dataByteCount: Int) throws(IntelHexFault) -> IntelHexRecord {
        guard let kind = IntelHexRecord.Kind(rawValue: bytes[3]) else {
            throw fault(.unknownType(bytes[3]))
        }
        if let expected = kind.fixedByteCount, expected != dataByteCount {
            throw fault(.fixedLength(kind, found: dataByteCount, expected: expected))
        }
        let address = UInt16(bytes[1]) << 8 | UInt16(bytes[2])
        if address != 0, !kind.hasAddress { throw fault(.nonzeroAddress(kind, found: address)) }
        return IntelHexRecord(kind: kind, address: address, byteCount: dataByteCount)
    }

    func fault(_ problem: IntelHexFault.Problem) -> IntelHexFault {
        IntelHexFault(line: line, problem: problem)
    }
}

/// The value of each character as a hexadecimal digit, 0xFF for one that is none.
private let digitValuesOfCharacters: [UInt8] = (UInt8.min...UInt8.max).map { byte in
    Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init) ?? 0xFF
}
