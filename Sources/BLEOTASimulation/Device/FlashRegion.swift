import BLEOTACore

/// An object's place in a flash memory: the blocks that are held there, and the pages that are
/// erased.
///
/// A torn write spoils a whole erase unit, because the block can only be rewritten after an
/// erasure. The unit is a page, or all pages of a block if a block is longer than a page.
struct FlashRegion {
    let firstPage: Int
    let byteCount: Int
    let blockByteCount: Int
    private let pageByteCount: Int
    /// Whether each block has been programmed correctly.
    private(set) var isHeld: [Bool]
    /// Whether each page is known to be erased, apart from the held blocks.
    private var isReady: [Bool]

    /// Creates a region without held blocks or erased pages.
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

    /// The addresses of the object in the flash.
    var addresses: Range<Int> { start..<start + byteCount }

    /// The byte range of a block in the object.
    func range(ofBlock block: Int) -> Range<Int> {
        block * blockByteCount..<min((block + 1) * blockByteCount, byteCount)
    }

    /// The addresses of a block in the flash.
    func addresses(ofBlock block: Int) -> Range<Int> {
        let range = range(ofBlock: block)
        return start + range.lowerBound..<start + range.upperBound
    }

    /// The first address of a block in the flash.
    func address(ofBlock block: Int) -> Int { start + block * blockByteCount }

    private var start: Int { firstPage * pageByteCount }

    /// The length of the durable prefix, in bytes. A block is safe from torn writes only if no
    /// block is missing from its erase unit.
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

    /// The next page to erase before its blocks arrive, at most `pageCount` pages after the first
    /// page with missing blocks.
    func pageToEraseAhead(by pageCount: Int) -> Int? {
        guard pageCount > 0, let missing = isHeld.firstIndex(of: false) else { return nil }
        let first = missing * blockByteCount / pageByteCount
        let candidates = first..<min(first + pageCount + 1, isReady.count)
        return candidates.first { !isReady[$0] }.map { $0 + firstPage }
    }

    /// Records that a page has been erased.
    mutating func erased(_ page: Int) {
        let offset = (page - firstPage) * pageByteCount
        let end = min(offset + pageByteCount, byteCount)
        let blocks = offset / blockByteCount...(end - 1) / blockByteCount
        precondition(!isHeld[blocks].contains(true), "a page that contains blocks was erased")
        isReady[page - firstPage] = true
    }

    /// Records that a block has been programmed.
    mutating func wrote(_ block: Int) { isHeld[block] = true }

    /// Records that a block is damaged: its whole erase unit must be received again.
    mutating func condemn(_ block: Int) {
        let unit = unit(ofBlock: block)
        for block in blocks(ofUnit: unit) { isHeld[block] = false }
        for page in pages(ofUnit: unit) { isReady[page] = false }
    }

    /// Records that all blocks are damaged.
    mutating func condemnAll() { for block in isHeld.indices { condemn(block) } }

    /// Determines after a power cut which blocks are held. A block that was written or erased
    /// only in part is not held. A page that reads as erased counts as erased only if its erase
    /// unit holds blocks; otherwise, its erasure may be incomplete.
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

    // MARK: - Erase units

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
