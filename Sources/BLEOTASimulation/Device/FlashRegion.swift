import BLEOTACore

/// An object's place in a flash: which of its blocks are there, and which pages can take more.
///
/// What is spoiled by one torn write is what is erased together, since nothing else makes room for
/// the block to be written again: a page, or the pages of a block where that is longer.
struct FlashRegion {
    let firstPage: Int
    let byteCount: Int
    let blockByteCount: Int
    private let pageByteCount: Int
    /// Blocks that are programmed, and as they should be.
    private(set) var isHeld: [Bool]
    /// Pages in which everything but the blocks that are held is known to be erased.
    private var isReady: [Bool]

    /// Nothing is held, and no page is erased.
    init(firstPage: Int, byteCount: Int, blockByteCount: Int, pageByteCount: Int) {
        self.firstPage = firstPage
        self.byteCount = byteCount
        self.blockByteCount = blockByteCount
        self.pageByteCount = pageByteCount
        let blockCount = ObjectPlan.blockCount(UInt32(byteCount), blockByteCount)
        isHeld = [Bool](repeating: false, count: blockCount)
        isReady = [Bool](
            repeating: false,
            count: ObjectPlan.blockCount(UInt32(byteCount), pageByteCount)
        )
    }

    var isWhole: Bool { isHeld.allSatisfy { $0 } }

    /// Where the object lies in the flash.
    var addresses: Range<Int> { start..<start + byteCount }

    /// Where a block lies in the object.
    func range(ofBlock block: Int) -> Range<Int> {
        block * blockByteCount..<min((block + 1) * blockByteCount, byteCount)
    }

    /// Where a block lies in the flash.
    func addresses(ofBlock block: Int) -> Range<Int> {
        let range = range(ofBlock: block)
        return start + range.lowerBound..<start + range.upperBound
    }

    /// Where a block begins in the flash.
    func address(ofBlock block: Int) -> Int { start + block * blockByteCount }

    private var start: Int { firstPage * pageByteCount }

    /// Only what has no block to come in the same page any more is safe from a torn write.
    var durableByteCount: Int {
        guard let missing = isHeld.firstIndex(of: false) else { return byteCount }
        return missing * blockByteCount / unitByteCount * unitByteCount
    }

    /// The pages to erase before a block can be programmed.
    func pagesToErase(forBlock block: Int) -> [Int] {
        let range = addresses(ofBlock: block)
        let pages = range.lowerBound / pageByteCount...(range.upperBound - 1) / pageByteCount
        return pages.filter { !isReady[$0 - firstPage] }
    }

    /// The next page to erase before its blocks are there, at most so many past the first in which
    /// blocks are missing.
    func pageToEraseAhead(by pageCount: Int) -> Int? {
        guard pageCount > 0, let missing = isHeld.firstIndex(of: false) else { return nil }
        let first = missing * blockByteCount / pageByteCount
        let candidates = first..<min(first + pageCount + 1, isReady.count)
        return candidates.first { !isReady[$0] }.map { $0 + firstPage }
    }

    /// A page is erased.
    mutating func erased(_ page: Int) {
        let offset = (page - firstPage) * pageByteCount
        let end = min(offset + pageByteCount, byteCount)
        let blocks = offset / blockByteCount...(end - 1) / blockByteCount
        precondition(!isHeld[blocks].contains(true), "a page with blocks was erased")
        isReady[page - firstPage] = true
    }

    /// A block is programmed.
    mutating func wrote(_ block: Int) { isHeld[block] = true }

    /// A block is not what it should be: what is erased with it has to come again.
    mutating func condemn(_ block: Int) {
        let unit = unit(ofBlock: block)
        for block in blocks(ofUnit: unit) { isHeld[block] = false }
        for page in pages(ofUnit: unit) { isReady[page] = false }
    }

    /// Nothing is as it should be.
    mutating func condemnAll() { for block in isHeld.indices { condemn(block) } }

    /// Finds out after a power cut what is there. What a write left in part, or an erasure, is not
    /// held; a page that reads as erased may be an erasure in part, unless blocks are in it.
    mutating func recover(isValid: (_ block: Int) -> Bool, readsErased: (Range<Int>) -> Bool) {
        for block in isHeld.indices { isHeld[block] = isValid(block) }
        for page in isReady.indices { isReady[page] = false }
        for unit in 0...(byteCount - 1) / unitByteCount {
            let blocks = blocks(ofUnit: unit)
            guard isHeld[blocks].contains(true) else { continue }
            for page in pages(ofUnit: unit) { isReady[page] = true }
            if let torn = blocks.first(where: {
                !isHeld[$0] && !readsErased(addresses(ofBlock: $0))
            }) {
                condemn(torn)
            }
        }
    }

    // MARK: - What is erased together

    private var unitByteCount: Int { max(pageByteCount, blockByteCount) }

    private func unit(ofBlock block: Int) -> Int { block * blockByteCount / unitByteCount }

    private func blocks(ofUnit unit: Int) -> Range<Int> {
        let count = unitByteCount / blockByteCount
        return unit * count..<min((unit + 1) * count, isHeld.count)
    }

    private func pages(ofUnit unit: Int) -> Range<Int> {
        let count = unitByteCount / pageByteCount
        return unit * count..<min((unit + 1) * count, isReady.count)
    }
}
