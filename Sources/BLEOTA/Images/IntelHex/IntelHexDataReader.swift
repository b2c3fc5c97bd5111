/// Reads the data of Intel HEX text together with its full addresses.
///
/// A record has a 16-bit address. The last record of type 02 or 04 before it determines the
/// full address:
///
/// - After type 02, the data is in a segment of 64 KiB. If a record runs past the end of the
///   segment, it wraps to the start, as the format specifies.
/// - After type 04, addresses continue linearly, even into the next 64 KiB. A record that runs
///   past 0xFFFFFFFF is an error: the format would wrap to zero, which no device intends.
/// - Before either type, the 16-bit address is the full address. A record that runs past 0xFFFF
///   is an error: some tools apply the first rule and others the second, and a wrong guess
///   would put code at the wrong address.
struct IntelHexDataReader {
    /// The data of one record, or of a part of it, at consecutive addresses.
    struct Extent {
        let line: Int
        let address: UInt64
        /// The range of the record's data bytes.
        let range: Range<Int>
    }

    private enum Base {
        case none
        case segment(UInt64)
        case linear(UInt64)
    }

    private static let segmentByteCount = 0x1_0000
    private static let addressEnd: UInt64 = 0x1_0000_0000

    private var reader: IntelHexRecordReader
    private var base = Base.none
    /// The part of the latest record that wrapped to the start of its segment.
    private var wrapped: Extent?
    private var isAtEnd = false

    init(text: [UInt8]) {
        self.reader = IntelHexRecordReader(text: text)
    }

    /// The bytes of an extent, which must be the latest that ``next()`` returned.
    func data(_ extent: Extent) -> ArraySlice<UInt8> { reader.data(extent.range) }

    /// The line of the latest record; 1 before the first.
    var line: Int { reader.recordLine }

    /// The next extent in the order of the text, or `nil` after the end-of-file record. Records
    /// without data are skipped.
    mutating func next() throws(IntelHexFault) -> Extent? {
        if let extent = wrapped {
            wrapped = nil
            return extent
        }
        while !isAtEnd {
            guard let record = try reader.next() else {
                throw IntelHexFault(line: line, problem: .noEnd)
            }
            switch record.kind {
            case .data where record.byteCount > 0: return try place(record)
            case .data, .segmentStart, .linearStart: break
            case .segmentBase: base = .segment(baseValue() << 4)
            case .linearBase: base = .linear(baseValue() << 16)
            case .end: try finish()
            }
        }
        return nil
    }

    private func baseValue() -> UInt64 {
        UInt64(reader.data(at: 0)) << 8 | UInt64(reader.data(at: 1))
    }

    private mutating func place(_ record: IntelHexRecord) throws(IntelHexFault) -> Extent {
        let all = 0..<record.byteCount
        let inSegmentByteCount = Self.segmentByteCount - Int(record.address)
        switch base {
        case .none:
            if all.count > inSegmentByteCount { throw reader.fault(.wrapsWithoutBase) }
            return extent(at: UInt64(record.address), all)
        case .segment(let base):
            let (first, second) = (
                all.prefix(inSegmentByteCount), all.dropFirst(inSegmentByteCount)
            )
            if !second.isEmpty { wrapped = extent(at: base, second) }
            return extent(at: base + UInt64(record.address), first)
        case .linear(let base):
            let start = base + UInt64(record.address)
            if start + UInt64(all.count) > Self.addressEnd {
                throw reader.fault(.beyondLastAddress(start: start))
            }
            return extent(at: start, all)
        }
    }

    private func extent(at address: UInt64, _ range: Range<Int>) -> Extent {
        Extent(line: line, address: address, range: range)
    }

    private mutating func finish() throws(IntelHexFault) {
        let endLine = line
        if reader.findText() { throw reader.fault(.afterEnd(endLine: endLine)) }
        isAtEnd = true
    }
}
