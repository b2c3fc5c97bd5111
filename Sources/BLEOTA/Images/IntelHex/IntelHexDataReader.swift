/// Reads the data of Intel HEX text together with its full addresses.
///
/// How a 16-bit address of a record becomes an address of the device depends on the record of type
/// 02 or 04 before it, the last one counting:
///
/// - After type 02 the data lies in a segment of 64 KiB. A record that runs past the end of the
///   segment goes on at its beginning, as the format says.
/// - After type 04 addresses simply count on, into the next 64 KiB as well. Past 0xFFFFFFFF there
///   is nothing; the format would go on at zero, which no device means, so it is an error.
/// - Before either, addresses are what they are. Where a record runs past 0xFFFF, tools disagree
///   between the two rules above, and a wrong guess would put code in the wrong place, so it is an
///   error.
struct IntelHexDataReader {
    /// Data of one record that lies at consecutive addresses.
    struct Extent {
        let line: Int
        let address: UInt64
        /// Which bytes of the record.
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
    /// The part of the last record that went on at the beginning of its segment.
    private var wrapped: Extent?
    private var isAtEnd = false

    init(text: [UInt8]) {
        self.reader = IntelHexRecordReader(text: text)
    }

    /// The bytes of the extent read last.
    func data(_ extent: Extent) -> ArraySlice<UInt8> { reader.data(extent.range) }

    /// The line of the record read last; 1 before any.
    var line: Int { reader.recordLine }

    /// The next data in the order of the text, or `nil` behind the end record. Records without any
    /// data byte are passed over.
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
