import BLEOTA
import Testing

@Suite("Intel HEX")
struct IntelHexTests {
    private func image(_ text: [UInt8], region: Int? = nil) throws(FirmwareError) -> FirmwareFile {
        try FirmwareFile(bytes: text, name: "firmware.hex", region: region)
    }

    @Test("Two records that follow each other are one region")
    func consecutiveRecords() throws {
        let image = try image(
            HexWriter.file(HexWriter.data(at: 0x10, [1, 2, 3]), HexWriter.data(at: 0x13, [4]))
        )
        #expect(image.format == .intelHex)
        #expect(image.loadAddress == 0x10)
        #expect(image.regions == [ImageRegion(startAddress: 0x10, byteCount: 4)])
        #expect(image.regionNumber == 1)
        #expect(image.byteCount == 4)
        #expect(image.version == nil)
        #expect(try image.allBytes() == [1, 2, 3, 4])
        #expect(try image.read(at: 1, byteCount: 2) == [2, 3])
        #expect(try image.read(at: 4, byteCount: 0) == [])
    }

    @Test("Line ends, blank lines, case, blanks and a byte order mark change nothing")
    func spelling() throws {
        let lines = [
            HexWriter.linearBase(1), HexWriter.data(at: 0xAB, [0xCD, 0xEF]), HexWriter.end,
        ]
        let lower = lines.map { $0.lowercased() }
        let spellings: [[UInt8]] = [
            HexWriter.text(lines), HexWriter.text(lines, lineEnd: "\r\n"),
            HexWriter.text(lines, lineEnd: "\r"), HexWriter.text(lower),
            HexWriter.text(lines, lineEnd: "\n \t\n\r\n"), HexWriter.text(lines, lineEnd: " \t\n"),
            HexWriter.text(["", ""] + lines.map { "  " + $0 }),
            [0xEF, 0xBB, 0xBF] + HexWriter.text(lines), HexWriter.text(lines).dropLast(),
        ]
        for spelling in spellings {
            let image = try image(spelling)
            #expect(image.loadAddress == 0x100AB)
            #expect(try image.allBytes() == [0xCD, 0xEF])
        }
    }

    @Test("A gap of 64 KiB is filled with 0xFF, one byte more begins a new region")
    func gaps() throws {
        let near = try image(
            HexWriter.file(
                HexWriter.data(at: 0, [1]),
                HexWriter.linearBase(1),
                HexWriter.data(at: 1, [2])
            )
        )
        #expect(near.regions == [ImageRegion(startAddress: 0, byteCount: 0x10002)])
        #expect(
            try near.allBytes() == [1] + [UInt8](repeating: 0xFF, count: 0x10000) + [2]
        )
        let far = try image(
            HexWriter.file(
                HexWriter.data(at: 0, [1]),
                HexWriter.linearBase(1),
                HexWriter.data(at: 2, [2, 3])
            )
        )
        #expect(
            far.regions == [
                ImageRegion(startAddress: 0, byteCount: 1),
                ImageRegion(startAddress: 0x10002, byteCount: 2),
            ]
        )
        #expect(far.regionNumber == 2)
        #expect(try far.allBytes() == [2, 3])
    }

    @Test("The largest region is chosen, the first of equals, or the one asked for")
    func choice() throws {
        let text = HexWriter.file(
            HexWriter.linearBase(0x1000),
            HexWriter.data(at: 0x10C0, [7, 8]),
            HexWriter.linearBase(0),
            HexWriter.data(at: 0, [1, 2]),
            HexWriter.linearBase(0x0800),
            HexWriter.data(at: 0, [5])
        )
        let byDefault = try image(text)
        #expect(byDefault.regions.map(\.startAddress) == [0, 0x0800_0000, 0x1000_10C0])
        #expect(byDefault.regionNumber == 1)
        let contents: [[UInt8]] = [[1, 2], [5], [7, 8]]
        for (index, content) in contents.enumerated() {
            let image = try image(text, region: index + 1)
            #expect(image.regionNumber == index + 1)
            #expect(image.loadAddress == byDefault.regions[index].startAddress)
            #expect(try image.allBytes() == content)
        }
        for region in [Int.min, -1, 0, 4, Int.max] {
            let error = imageError { () throws(FirmwareError) in try image(text, region: region) }
            #expect(error?.code == .noSuchRegion)
            #expect(
                error?.description
                    == "firmware.hex has no region \(region); choose one of these: 1 (2 bytes at "
                    + "0x00000000), 2 (1 byte at 0x08000000), 3 (2 bytes at 0x100010C0)."
            )
        }
    }

    @Test("The list of regions in a sentence ends after sixteen")
    func longList() throws {
        let lines = (0..<20).flatMap { [HexWriter.linearBase($0 * 2), HexWriter.data(at: 0, [1])] }
        let text = HexWriter.text(lines + [HexWriter.end])
        #expect(try image(text).regions.count == 20)
        let error = imageError { () throws(FirmwareError) in try image(text, region: 21) }
        #expect(error?.description.contains("16 (1 byte at 0x001E0000) and 4 more.") == true)
    }

    @Test("A record in a segment that runs past its end goes on at its beginning")
    func segmentWrap() throws {
        let image = try image(
            HexWriter.file(
                HexWriter.segmentBase(0x2000),
                HexWriter.data(at: 0xFFFE, [1, 2, 3]),
                HexWriter.data(at: 1, [4])
            )
        )
        #expect(
            image.regions == [ImageRegion(startAddress: 0x20000, byteCount: 0x10000)]
        )
        #expect(try image.read(at: 0, byteCount: 2) == [3, 4])
        #expect(try image.read(at: 0xFFFE, byteCount: 2) == [1, 2])
    }

    @Test("A record after a linear base counts on into the next 64 KiB")
    func linearCarry() throws {
        let image = try image(
            HexWriter.file(HexWriter.linearBase(2), HexWriter.data(at: 0xFFFE, [1, 2, 3]))
        )
        #expect(image.regions == [ImageRegion(startAddress: 0x2FFFE, byteCount: 3)])
        #expect(try image.allBytes() == [1, 2, 3])
    }

    @Test("The last base record counts, and start records and empty data change nothing")
    func mixedRecords() throws {
        let image = try image(
            HexWriter.file(
                HexWriter.segmentBase(0xFFFF),
                HexWriter.linearBase(0x0001),
                HexWriter.record(type: 3, address: 0, [0, 0, 0, 0]),
                HexWriter.data(at: 9, []),
                HexWriter.record(type: 5, address: 0, [8, 0, 0, 1]),
                HexWriter.data(at: 0, [6])
            )
        )
        #expect(image.regions == [ImageRegion(startAddress: 0x10000, byteCount: 1)])
    }

    @Test("Data ends at the last 32-bit address")
    func lastAddress() throws {
        let image = try image(
            HexWriter.file(HexWriter.linearBase(0xFFFF), HexWriter.data(at: 0xFFFF, [9]))
        )
        #expect(image.loadAddress == 0xFFFF_FFFF)
    }

    @Test("A region that begins with the MCUboot magic number is checked as one")
    func mcubootInside() throws {
        let bytes = MCUbootWriter().bytes
        let good = try image(HexWriter.file(HexWriter.data(at: 0x8000, bytes)))
        #expect(good.format == .intelHex)
        #expect(good.version == "1.2.3+4")
        #expect(good.mcuboot?.hashCheck == .verified)
        #expect(try good.allBytes() == bytes)
        let cut = HexWriter.file(HexWriter.data(at: 0x8000, bytes.dropLast()))
        let error = imageError { () throws(FirmwareError) in try image(cut) }
        #expect(error?.code == .malformedMCUboot)
    }

    @Test("Random regions in shuffled records come back byte for byte")
    func randomImages() throws {
        var random = ImageRandom()
        for _ in 0..<60 {
            let model = HexModel(using: &random)
            let text = model.text(using: &random)
            for (index, region) in model.regions.enumerated() {
                let image = try image(text, region: index + 1)
                #expect(image.regions == model.regions.map(\.region))
                #expect(try image.allBytes() == region.bytes)
            }
        }
    }
}

/// Bytes at random addresses, and what they should make, computed without the code under test.
private struct HexModel {
    private var bytes: [UInt64: UInt8] = [:]
    private let isLinear: Bool

    init(using random: inout ImageRandom) {
        isLinear = Bool.random(using: &random)
        let limit: UInt64 = isLinear ? 0xFFFF_0000 : 0xF_0000
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            let start = UInt64.random(in: 0..<limit, using: &random)
            for (index, byte) in random.bytes(Int.random(in: 1...900, using: &random)).enumerated()
            {
                bytes[start + UInt64(index)] = byte
            }
        }
    }

    var regions: [(region: ImageRegion, bytes: [UInt8])] {
        var result: [(start: UInt64, bytes: [UInt8])] = []
        for (address, byte) in bytes.sorted(by: { $0.key < $1.key }) {
            if let last = result.last, address <= last.start + UInt64(last.bytes.count) + 0x10000 {
                let gap = Int(address - last.start) - last.bytes.count
                result[result.count - 1].bytes += [UInt8](repeating: 0xFF, count: gap) + [byte]
            } else {
                result.append((address, [byte]))
            }
        }
        return result.map {
            (ImageRegion(startAddress: $0.start, byteCount: $0.bytes.count), $0.bytes)
        }
    }

    /// Records of random length in random order, each behind its own base.
    func text(using random: inout ImageRandom) -> [UInt8] {
        var records: [[String]] = []
        var rest = bytes.keys.sorted()[...]
        while let start = rest.first {
            let longest = rest.prefix(Int.random(in: 1...255, using: &random)).enumerated()
            let run = longest.prefix { UInt64($0.offset) + start == $0.element }.count
            records.append(record(at: start, rest.prefix(run).map { bytes[$0, default: 0] }))
            rest = rest.dropFirst(run)
        }
        records.shuffle(using: &random)
        let lineEnd = Bool.random(using: &random) ? "\n" : "\r\n"
        return HexWriter.text(records.flatMap { $0 } + [HexWriter.end], lineEnd: lineEnd)
    }

    private func record(at address: UInt64, _ data: [UInt8]) -> [String] {
        if isLinear {
            return [
                HexWriter.linearBase(UInt16(address >> 16)),
                HexWriter.data(at: UInt16(address & 0xFFFF), data),
            ]
        }
        // The lowest four bits go into the offset, so that no record wraps.
        return [
            HexWriter.segmentBase(UInt16(address >> 4)),
            HexWriter.data(at: UInt16(address & 0xF), data),
        ]
    }
}
