import BLEOTADevice
import BLEOTATestSupport

/// A NOR flash: a page is erased at once, a unit is programmed once after that, and programming
/// only clears bits. What a driver must not do is done all the same, as a real one would, and
/// noted.
final class NORFlash {
    /// The three sizes that differ from flash to flash, and the room in it.
    struct Geometry: Sendable, CustomStringConvertible {
        var pageByteCount = 4_096
        var writeByteCount = 4
        var slotByteCount = 65_536
        var manifestByteCount = 16_384

        var description: String {
            "pages of \(pageByteCount), units of \(writeByteCount), \(slotByteCount) bytes"
        }
    }

    /// The power goes in the midst of an operation.
    struct Cut {
        enum Moment: CaseIterable {
            /// Nothing has been done yet.
            case before
            /// A part has been done.
            case amid
            /// All has been done, and nobody was told.
            case after
        }

        /// Which one, by ``NORFlash/operationCount`` before it.
        var operation: Int
        var moment: Moment
        /// What is left of a torn one.
        var random: TestSeed
    }

    private enum Area: String { case slot, manifest, records }

    static let start: UInt32 = 0x4_0000

    let layout: FlashLayout
    let clock: TestClock
    private(set) var bytes: [UInt8]
    /// How often each page was erased.
    private(set) var eraseCounts: [Int]
    /// What a driver must not do.
    private(set) var violations: [String] = []
    /// How many erasures and programs were begun.
    private(set) var operationCount = 0
    /// How many of them were of the slot.
    private(set) var slotOperationCount = 0
    private(set) var isPowered = true
    var cut: Cut?
    /// A unit counts as erased as long as it reads so: to program nothing but ones changes nothing.
    private var isErased: [Bool]
    private let pageByteCount: Int
    private let writeByteCount: Int

    /// A used one, with something else between the areas.
    init(_ geometry: Geometry, clock: TestClock, seed: UInt64 = 1) {
        let page = UInt32(geometry.pageByteCount)
        let slot = Self.start + page
        let manifest = slot + UInt32(geometry.slotByteCount) + page
        let records = manifest + UInt32(geometry.manifestByteCount) + page
        layout = FlashLayout(
            pageByteCount: page,
            writeByteCount: UInt32(geometry.writeByteCount),
            slot: (slot, UInt32(geometry.slotByteCount)),
            manifest: (manifest, UInt32(geometry.manifestByteCount)),
            recordAddress: records
        )!
        let byteCount = Int(records + 3 * page - Self.start)
        var random = TestSeed(seed)
        self.clock = clock
        bytes = random.bytes(byteCount)
        isErased = [Bool](repeating: false, count: byteCount / geometry.writeByteCount)
        eraseCounts = [Int](repeating: 0, count: byteCount / geometry.pageByteCount)
        pageByteCount = geometry.pageByteCount
        writeByteCount = geometry.writeByteCount
    }

    /// One that holds what another one held; its units that read as erased are erased.
    convenience init(_ geometry: Geometry, holding bytes: [UInt8], clock: TestClock) {
        self.init(geometry, clock: clock)
        precondition(bytes.count == self.bytes.count, "a flash of another size")
        self.bytes = bytes
        for unit in isErased.indices {
            let start = unit * writeByteCount
            isErased[unit] = bytes[start..<start + writeByteCount].allSatisfy { $0 == 0xFF }
        }
    }

    private init(copying other: NORFlash, clock: TestClock) {
        layout = other.layout
        self.clock = clock
        bytes = other.bytes
        isErased = other.isErased
        eraseCounts = other.eraseCounts
        pageByteCount = other.pageByteCount
        writeByteCount = other.writeByteCount
        violations = other.violations
    }

    /// Another one with the same in it, that has done nothing yet.
    func copy(clock: TestClock) -> NORFlash { NORFlash(copying: self, clock: clock) }

    func restorePower() {
        isPowered = true
        cut = nil
    }

    // MARK: - What is in it

    subscript(range: Range<UInt32>) -> ArraySlice<UInt8> { bytes[offsets(range)] }

    /// The beginning of the slot.
    func slot(_ byteCount: Int) -> ArraySlice<UInt8> {
        self[layout.slot.lowerBound..<layout.slot.lowerBound + UInt32(byteCount)]
    }

    /// What is in none of the areas.
    var outside: [UInt8] {
        var rest: [UInt8] = []
        var start = Self.start
        for area in [layout.slot, layout.manifest, layout.records] {
            rest += self[start..<area.lowerBound]
            start = area.upperBound
        }
        return rest + self[start..<Self.start + UInt32(bytes.count)]
    }

    /// How often each page of the slot was erased.
    var slotEraseCounts: ArraySlice<Int> {
        let range = offsets(layout.slot)
        return eraseCounts[range.lowerBound / pageByteCount..<range.upperBound / pageByteCount]
    }

    /// Something writes there that is not the receiver.
    func overwrite(_ address: UInt32, with content: [UInt8]) {
        let offset = Int(address - Self.start)
        bytes.replaceSubrange(offset..<offset + content.count, with: content)
        for unit in units(address, content.count) { isErased[unit] = false }
    }

    private func offsets(_ range: Range<UInt32>) -> Range<Int> {
        Int(range.lowerBound - Self.start)..<Int(range.upperBound - Self.start)
    }

    private func units(_ address: UInt32, _ byteCount: Int) -> Range<Int> {
        let start = Int(address - Self.start)
        return start / writeByteCount..<(start + byteCount + writeByteCount - 1) / writeByteCount
    }

    private func area(_ address: UInt32, _ byteCount: Int) -> Area? {
        let end = UInt64(address) + UInt64(byteCount)
        for (area, range) in [
            (Area.slot, layout.slot), (.manifest, layout.manifest), (.records, layout.records),
        ] where range.contains(address) && end <= UInt64(range.upperBound) { return area }
        return nil
    }

    // MARK: - What a driver does

    func read(_ address: UInt32, into target: UnsafeMutableRawBufferPointer) -> Bool {
        guard isPowered else { return false }
        guard area(address, target.count) != nil else {
            violations.append("read \(target.count) bytes at \(address), outside the areas")
            return false
        }
        let offset = Int(address - Self.start)
        target.copyBytes(from: bytes[offset..<offset + target.count])
        clock.pass(Microseconds(Int64(target.count / 64)))
        return true
    }

    func erase(_ address: UInt32) -> Bool {
        guard isPowered else { return false }
        guard let area = area(address, pageByteCount), Int(address) % pageByteCount == 0 else {
            violations.append("erase at \(address), which is no page of an area")
            return false
        }
        let moment = begin(area)
        guard moment != .before else { return cutPower() }
        let start = Int(address - Self.start)
        clock.pass(.milliseconds(20))
        if moment == .amid {
            tearErasure(start)
            return cutPower()
        }
        bytes.replaceSubrange(
            start..<start + pageByteCount,
            with: repeatElement(0xFF, count: pageByteCount)
        )
        for unit in units(address, pageByteCount) { isErased[unit] = true }
        eraseCounts[start / pageByteCount] += 1
        return moment == nil || cutPower()
    }

    func write(_ content: UnsafeRawBufferPointer, at address: UInt32) -> Bool {
        guard isPowered else { return false }
        let area = area(address, content.count)
        guard let area, content.count > 0, content.count % writeByteCount == 0,
            Int(address) % writeByteCount == 0
        else {
            violations.append("write of \(content.count) bytes at \(address)")
            return false
        }
        for unit in units(address, content.count) where !isErased[unit] {
            violations.append("unit \(unit) of the \(area) is programmed twice")
            break
        }
        let moment = begin(area)
        guard moment != .before else { return cutPower() }
        let unitCount = content.count / writeByteCount
        clock.pass(Microseconds(Int64(20 * unitCount)))
        guard moment == .amid else {
            program(content, at: address)
            return moment == nil || cutPower()
        }
        let whole = cut!.random.below(unitCount) * writeByteCount
        program(UnsafeRawBufferPointer(rebasing: content[..<whole]), at: address)
        var torn = Array(content[whole..<whole + writeByteCount])
        for index in torn.indices { torn[index] |= UInt8(truncatingIfNeeded: cut!.random.next()) }
        torn.withUnsafeBytes { program($0, at: address + UInt32(whole)) }
        return cutPower()
    }

    private func begin(_ area: Area) -> Cut.Moment? {
        defer {
            operationCount += 1
            if area == .slot { slotOperationCount += 1 }
        }
        return cut?.operation == operationCount ? cut?.moment : nil
    }

    private func cutPower() -> Bool {
        isPowered = false
        return false
    }

    private func program(_ content: UnsafeRawBufferPointer, at address: UInt32) {
        let start = Int(address - Self.start)
        for index in content.indices { bytes[start + index] &= content[index] }
        for unit in units(address, content.count) {
            let range = unit * writeByteCount..<(unit + 1) * writeByteCount
            if bytes[range].contains(where: { $0 != 0xFF }) { isErased[unit] = false }
        }
    }

    /// Some bits are ones already, in a part of the page or in all of it.
    private func tearErasure(_ start: Int) {
        let end = start + 1 + cut!.random.below(pageByteCount)
        for offset in start..<end {
            bytes[offset] |= UInt8(truncatingIfNeeded: cut!.random.next())
        }
        for unit in start / writeByteCount..<(start + pageByteCount) / writeByteCount {
            isErased[unit] = false
        }
    }
}
