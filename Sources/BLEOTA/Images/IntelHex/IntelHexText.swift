/// A whole Intel HEX file, decoded into regions.
///
/// Data separated by at most 64 KiB belongs to one region, and the gaps in it are filled with
/// 0xFF, the content of erased flash. Data farther apart belongs to separate regions: the words
/// of a configuration area, for example, may be far beyond the program.
struct IntelHexText {
    /// The maximum length of the text, which is held in memory as a whole. Sixteen data bytes
    /// take 44 characters, so 64 MiB hold a program of 24 MB. No microcontroller that is updated
    /// over Bluetooth has a larger program.
    static let textByteCountMax = 64 << 20
    /// The maximum length of all regions together, with gaps filled. A record of 255 data bytes
    /// takes 522 characters, so 64 MiB of text hold at most 32 MiB of data. The rest is room for
    /// gaps of at most 64 KiB each. Without this limit, a file of one megabyte with one byte
    /// every 64 KiB would expand to 4 GiB.
    static let regionsByteCountMax = 64 << 20
    /// The widest gap that is filled, in bytes.
    static let gapByteCountMax: UInt64 = 0x1_0000
    private static let erasedByte: UInt8 = 0xFF

    /// The regions in ascending order of address, at least one.
    let regions: [ImageRegion]
    private let pieces: [Piece]
    private let payload: [UInt8]

    /// Decoded bytes at consecutive addresses. In the worst case, with one-byte records in random
    /// order, a piece takes 14 characters of text. The text can therefore hold 4.8 million pieces
    /// of 12 bytes, or 58 MB.
    private struct Piece {
        let address: UInt32
        let payloadOffset: UInt32
        /// At most 32 MiB, like the length of the payload.
        var byteCount: UInt32

        var endAddress: UInt64 { UInt64(address) + UInt64(byteCount) }
    }

    static func decode(_ content: ByteSource, fileName: String) throws(FirmwareError)
        -> IntelHexText
    {
        if content.byteCount > textByteCountMax {
            throw FirmwareError(
                .tooLarge,
                fileName: fileName,
                "\(fileName) is an Intel HEX file of \(content.byteCount) bytes, but the limit is "
                    + "\(textByteCountMax); convert it to a raw binary and send that."
            )
        }
        let text = try content.read(at: 0, byteCount: content.byteCount)
        let decoded: IntelHexText
        do {
            decoded = try IntelHexText(text: text)
        } catch {
            throw error.error(fileName: fileName)
        }
        try decoded.requireBounded(fileName: fileName)
        return decoded
    }

    init(text: [UInt8]) throws(IntelHexFault) {
        var pieces: [Piece] = []
        var payload: [UInt8] = []
        var reader = IntelHexDataReader(text: text)
        while let extent = try reader.next() {
            if let last = pieces.last, last.endAddress == extent.address {
                pieces[pieces.count - 1].byteCount += UInt32(extent.range.count)
            } else {
                pieces.append(
                    Piece(
                        address: UInt32(extent.address),
                        payloadOffset: UInt32(payload.count),
                        byteCount: UInt32(extent.range.count)
                    )
                )
            }
            payload.append(contentsOf: reader.data(extent))
        }
        if pieces.isEmpty { throw IntelHexFault(line: reader.line, problem: .noData) }
        pieces.sort { $0.address < $1.address }
        if let address = Self.overlappingAddress(in: pieces) {
            throw try Self.overlap(at: address, in: text)
        }
        self.regions = Self.regions(of: pieces)
        self.pieces = pieces
        self.payload = payload
    }

    /// The bytes of region `number`, with its gaps filled. Regions are counted from 1.
    func bytes(inRegion number: Int) -> [UInt8] {
        let region = regions[number - 1]
        var bytes = [UInt8](repeating: Self.erasedByte, count: region.byteCount)
        for piece in pieces
        where UInt64(piece.address) >= region.startAddress && piece.endAddress <= region.endAddress
        {
            let start = Int(UInt64(piece.address) - region.startAddress)
            let source = Int(piece.payloadOffset)..<Int(piece.payloadOffset + piece.byteCount)
            bytes.replaceSubrange(start..<(start + source.count), with: payload[source])
        }
        return bytes
    }

    /// The requested region; by default the largest, or the first of several equally large
    /// ones.
    func regionNumber(choosing asked: Int?, fileName: String) throws(FirmwareError) -> Int {
        guard let asked else {
            let largestByteCount = regions.reduce(0) { max($0, $1.byteCount) }
            for (index, region) in regions.enumerated() where region.byteCount == largestByteCount {
                return index + 1
            }
            preconditionFailure("there is always a region")
        }
        guard (1...regions.count).contains(asked) else {
            throw FirmwareError(
                .noSuchRegion,
                fileName: fileName,
                "\(fileName) has no region \(asked); choose one of these: \(listOfRegions)."
            )
        }
        return asked
    }

    /// A list of at most 16 regions, because a file may have up to 65,536 of them.
    private var listOfRegions: String {
        let shownCountMax = 16
        let shown = regions.prefix(shownCountMax).enumerated().map { index, region in
            "\(index + 1) (\(ImageText.count(region.byteCount, "byte")) at "
                + "\(ImageText.address(region.startAddress)))"
        }
        let rest = regions.count - shown.count
        return shown.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }

    private func requireBounded(fileName: String) throws(FirmwareError) {
        let byteCount = regions.reduce(0) { $0 + $1.byteCount }
        if byteCount <= Self.regionsByteCountMax { return }
        throw FirmwareError(
            .tooLarge,
            fileName: fileName,
            "\(fileName) would be \(byteCount) bytes long with its gaps filled, but the limit is "
                + "\(Self.regionsByteCountMax); convert it to a raw binary and send that."
        )
    }
}

extension IntelHexText {
    /// The first address for which two pieces have a byte. The pieces are sorted by address.
    private static func overlappingAddress(in pieces: [Piece]) -> UInt64? {
        for (piece, next) in zip(pieces, pieces.dropFirst()) where piece.endAddress > next.address {
            return UInt64(next.address)
        }
        return nil
    }

    /// Reads the text again to find the two lines that set the same byte. Remembering the line
    /// of every byte would cost memory even for valid files.
    private static func overlap(
        at address: UInt64,
        in text: [UInt8]
    ) throws(IntelHexFault) -> IntelHexFault {
        var reader = IntelHexDataReader(text: text)
        var earlierLine: Int?
        while let extent = try reader.next() {
            let end = extent.address + UInt64(extent.range.count)
            guard (extent.address..<end).contains(address) else { continue }
            if let earlierLine {
                return IntelHexFault(
                    line: extent.line,
                    problem: .overlap(address: address, earlierLine: earlierLine)
                )
            }
            earlierLine = extent.line
        }
        preconditionFailure("two records set the byte at \(address)")
    }

    private static func regions(of pieces: [Piece]) -> [ImageRegion] {
        var regions: [ImageRegion] = []
        var start = UInt64(pieces[0].address)
        var end = start
        for piece in pieces {
            if UInt64(piece.address) - end > gapByteCountMax {
                regions.append(ImageRegion(startAddress: start, byteCount: Int(end - start)))
                start = UInt64(piece.address)
            }
            end = piece.endAddress
        }
        regions.append(ImageRegion(startAddress: start, byteCount: Int(end - start)))
        return regions
    }
}
