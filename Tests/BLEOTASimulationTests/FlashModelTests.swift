import BLEOTACore
import Testing

@testable import BLEOTASimulation

/// A flash: what it takes, and what a power cut leaves of it.
@Suite struct FlashModelTests {
    private var random = SimulationRandom(seed: 8)

    private mutating func flash(pageCount: Int = 2) -> FlashModel {
        var settings = FlashSettings()
        settings.pageByteCount = 1_024
        return FlashModel(settings, pageCount: pageCount, &random)
    }

    private static func complete(_ operation: FlashModel.Operation, _ flash: inout FlashModel) {
        _ = flash.begin(operation)
        flash.finish()
    }

    @Test("A page of 4 KiB takes 85 ms to erase and 42 ms to program: 32 kB a second")
    mutating func durations() {
        let flash = FlashModel(FlashSettings(), pageCount: 1, &random)
        #expect(flash.duration(of: .erase(page: 0)) == .milliseconds(85))
        let page = [UInt8](repeating: 1, count: 4_096)
        #expect(flash.duration(of: .program(address: 0, bytes: page)) == Microseconds(41_984))
        // A word that is begun takes as long as a whole one.
        #expect(flash.duration(of: .program(address: 0, bytes: [1])) == Microseconds(41))
        #expect(flash.duration(of: .program(address: 0, bytes: [1, 2, 3, 4, 5])).rawValue == 82)
        #expect(Int(FlashSettings().ceilingBytesPerSecond) == 32_256)
        var hashing = FlashSettings()
        hashing.hashBytesPerSecond = 409_600
        // 10 ms more for each page.
        #expect(hashing.hashTime(of: 4_096) == .milliseconds(10))
        #expect(Int(hashing.ceilingBytesPerSecond) == 29_901)
    }

    @Test("What is erased is ones, what is programmed is there, and what is beside it stays")
    mutating func content() {
        var flash = flash()
        let before = Array(flash[0..<2_048])
        Self.complete(.erase(page: 1), &flash)
        #expect(flash[0..<1_024] == before[..<1_024])
        #expect(flash.readsErased(1_024..<2_048))
        let bytes = random.bytes(10)
        Self.complete(.program(address: 1_032, bytes: bytes), &flash)
        #expect(Array(flash[1_032..<1_042]) == bytes)
        #expect(flash.readsErased(1_024..<1_032) && flash.readsErased(1_042..<2_048))
    }

    @Test("A power cut leaves whole words, one of garbage, and the others erased, at any instant")
    mutating func tornProgram() {
        let bytes = [UInt8](repeating: 0x37, count: 20)
        for span in 0...205 {
            var flash = flash()
            Self.complete(.erase(page: 0), &flash)
            _ = flash.begin(.program(address: 0, bytes: bytes))
            flash.losePower(after: Microseconds(Int64(span)), &random)
            let wholeCount = span / 41 * 4
            #expect(flash[0..<wholeCount].allSatisfy { $0 == 0x37 }, "after \(span) µs")
            let tornEnd = span == 0 ? 0 : min(wholeCount + 4, 20)
            if tornEnd > wholeCount {
                // That it is what it should be, or erased, has a chance of 2 in 2^32.
                let torn = Array(flash[wholeCount..<tornEnd])
                #expect(torn != [0x37, 0x37, 0x37, 0x37] && torn != [255, 255, 255, 255])
            }
            #expect(flash.readsErased(tornEnd..<1_024), "after \(span) µs")
            // What was not begun can be programmed as if nothing had been.
            Self.complete(.program(address: tornEnd, bytes: bytes), &flash)
        }
    }

    @Test("A power cut while a page is erased makes garbage of it, and none before or after")
    mutating func tornErase() {
        for (span, isErased) in [(0, false), (1, false), (84_999, false), (85_000, true)] {
            var flash = flash()
            let before = Array(flash[0..<2_048])
            _ = flash.begin(.erase(page: 0))
            flash.losePower(after: Microseconds(Int64(span)), &random)
            #expect((flash[0..<1_024] == before[..<1_024]) == (span == 0))
            #expect(flash.readsErased(0..<1_024) == isErased)
            #expect(flash[1_024..<2_048] == before[1_024...])
        }
    }

    @Test("To program what is not erased is a mistake, and so are two things at once")
    func mistakes() async {
        await #expect(processExitsWith: .failure) {
            var random = SimulationRandom(seed: 1)
            var flash = FlashModel(FlashSettings(), pageCount: 1, &random)
            _ = flash.begin(.program(address: 0, bytes: [1]))
        }
        await #expect(processExitsWith: .failure) {
            var random = SimulationRandom(seed: 1)
            var flash = FlashModel(FlashSettings(), pageCount: 1, &random)
            _ = flash.begin(.erase(page: 0))
            flash.finish()
            _ = flash.begin(.program(address: 0, bytes: [1, 2, 3, 4, 5]))
            flash.finish()
            _ = flash.begin(.program(address: 4, bytes: [1]))
        }
        await #expect(processExitsWith: .failure) {
            var random = SimulationRandom(seed: 1)
            var flash = FlashModel(FlashSettings(), pageCount: 1, &random)
            _ = flash.begin(.erase(page: 0))
            _ = flash.begin(.erase(page: 0))
        }
        await #expect(processExitsWith: .success) {
            var random = SimulationRandom(seed: 1)
            var flash = FlashModel(FlashSettings(), pageCount: 1, &random)
            _ = flash.begin(.erase(page: 0))
            flash.finish()
            _ = flash.begin(.program(address: 4, bytes: [1]))
        }
    }

    @Test("Of the log the last record counts, and one that was torn is none")
    mutating func log() {
        var flash = flash()
        Self.complete(.erase(page: FlashLog.page), &flash)
        #expect(FlashLog.last(.current, in: flash) == nil)
        let first = FlashLog.Record(kind: .current, tag: 7, byteCount: 100, slot: 1)
        Self.complete(FlashLog.adding(first, to: flash), &flash)
        Self.complete(FlashLog.adding(.init(kind: .begun, tag: 8, byteCount: 9), to: flash), &flash)
        #expect(FlashLog.last(.current, in: flash) == first)
        let second = FlashLog.Record(kind: .current, tag: 8, byteCount: 200)
        let time = flash.duration(of: FlashLog.adding(second, to: flash)).rawValue
        for span in 0..<time {
            var torn = flash
            _ = torn.begin(FlashLog.adding(second, to: torn))
            torn.losePower(after: Microseconds(span), &random)
            #expect(FlashLog.last(.current, in: torn) == first)
            // The next one goes behind it.
            Self.complete(FlashLog.adding(second, to: torn), &torn)
            #expect(FlashLog.last(.current, in: torn) == second)
        }
    }
}
