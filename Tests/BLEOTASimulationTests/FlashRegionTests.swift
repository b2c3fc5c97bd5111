import Testing

@testable import BLEOTASimulation

/// An object's place in a flash.
@Suite struct FlashRegionTests {
    /// 18 blocks of 256 bytes, the last a short one, in 5 pages from the third on.
    private static func region() -> FlashRegion {
        FlashRegion(firstPage: 3, byteCount: 4_400, blockByteCount: 256, pageByteCount: 1_024)
    }

    private static func writing(_ blocks: Range<Int>) -> FlashRegion {
        var region = region()
        for block in blocks {
            for page in region.pagesToErase(forBlock: block) { region.erased(page) }
            region.wrote(block)
        }
        return region
    }

    @Test("A page is erased once, for its first block")
    func erasure() {
        var region = Self.region()
        #expect(region.addresses == 3_072..<7_472)
        #expect(region.addresses(ofBlock: 17) == 7_424..<7_472)
        #expect(region.pagesToErase(forBlock: 5) == [4])
        region.erased(4)
        region.wrote(5)
        #expect(region.pagesToErase(forBlock: 4).isEmpty)
        #expect(region.pagesToErase(forBlock: 3) == [3])
        let long = FlashRegion(
            firstPage: 1,
            byteCount: 9_000,
            blockByteCount: 4_096,
            pageByteCount: 1_024
        )
        #expect(long.pagesToErase(forBlock: 1) == [5, 6, 7, 8])
        #expect(long.pagesToErase(forBlock: 2) == [9])
    }

    @Test("Durable is what no torn write can spoil any more: whole pages, or all of it")
    func durable() {
        #expect(Self.writing(0..<3).durableByteCount == 0)
        #expect(Self.writing(0..<4).durableByteCount == 1_024)
        #expect(Self.writing(0..<17).durableByteCount == 4_096)
        #expect(Self.writing(0..<18).durableByteCount == 4_400)
    }

    @Test("Pages are erased ahead from the first with missing blocks on, and never with blocks")
    func eraseAhead() {
        var region = Self.writing(0..<5)
        #expect(region.pageToEraseAhead(by: 0) == nil)
        #expect(region.pageToEraseAhead(by: 1) == 5)
        region.erased(5)
        #expect(region.pageToEraseAhead(by: 1) == nil)
        #expect(region.pageToEraseAhead(by: 2) == 6)
        // A block that came before its turn.
        for page in region.pagesToErase(forBlock: 13) { region.erased(page) }
        region.wrote(13)
        #expect(region.pageToEraseAhead(by: 2) == nil)
        #expect(region.pageToEraseAhead(by: 9) == 7)
        region.erased(7)
        #expect(region.pageToEraseAhead(by: 9) == nil)
    }

    @Test("A page with blocks is never erased")
    func mistake() async {
        await #expect(processExitsWith: .failure) {
            var region = Self.writing(0..<5)
            region.erased(4)
        }
    }

    @Test("After a power cut a torn block condemns its page, and a page without blocks is erased")
    func recovery() {
        var region = Self.region()
        // In page 3 all is right, in 4 the rest is erased, in 5 it is torn, 6 and 7 read as erased.
        let right: Set = [0, 1, 2, 3, 4, 5, 8]
        region.recover {
            right.contains($0)
        } readsErased: {
            $0.lowerBound < 5 * 1_024 || $0.lowerBound >= 6 * 1_024
        }
        #expect(region.isHeld.indices.filter { region.isHeld[$0] } == [0, 1, 2, 3, 4, 5])
        #expect(region.durableByteCount == 1_024)
        #expect(region.pagesToErase(forBlock: 6).isEmpty)
        #expect(region.pagesToErase(forBlock: 8) == [5])
        #expect(region.pagesToErase(forBlock: 12) == [6])
    }
}
