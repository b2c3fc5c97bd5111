/// Reads Intel HEX text record by record and checks digits, lengths and checksums.
///
/// A line ends with CR, LF or CRLF. Blank lines and blanks around a record are skipped. The
/// meaning of addresses is left to ``IntelHexDataReader``.
struct IntelHexRecordReader {
    /// A record consists of a length, an address (2 bytes), a type, data and a checksum.
    private static let dataOffset = 4
    private static let overheadByteCount = 5
    private static let byteCountMax = overheadByteCount + 255

    /// The current line, counted from 1.
    private(set) var line = 1
    /// The line of the latest record; 1 before the first.
    private(set) var recordLine = 1
    private let text: [UInt8]
    private var position: Int
    /// The bytes of the latest record. The array is reused for each record to avoid allocations.
    private var bytes = [UInt8](repeating: 0, count: byteCountMax)
    /// A local copy of the table, because looking up digits determines the speed of decoding.
    private let digitValues = digitValuesOfCharacters

    init(text: [UInt8]) {
        self.text = text
        self.position = IntelHexText.byteOrderMarkByteCount(text)
    }

    /// One data byte of the latest record.
    func data(at index: Int) -> UInt8 { bytes[Self.dataOffset + index] }

    /// A range of the data of the latest record.
    func data(_ range: Range<Int>) -> ArraySlice<UInt8> {
        bytes[(Self.dataOffset + range.lowerBound)..<(Self.dataOffset + range.upperBound)]
    }

    /// Whether anything but blanks is left. Moves `line` to the line of the first character that
    /// is not blank.
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

    /// Decodes the digits of the line into `bytes` and returns the number of bytes, which may
    /// be more than a record can have.
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

/// The value of each character as a hexadecimal digit; 0xFF if it is not a digit.
private let digitValuesOfCharacters: [UInt8] = (UInt8.min...UInt8.max).map { byte in
    Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init) ?? 0xFF
}
