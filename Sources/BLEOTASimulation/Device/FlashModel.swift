import BLEOTACore

/// A flash memory. A page is erased as a whole, after which each of its words can be programmed
/// once. Only one operation can be in progress.
///
/// Programming a word that is not erased is an error of the store, and traps.
struct FlashModel {
    /// An operation of the flash.
    enum Operation: Equatable {
        case erase(page: Int)
        /// Programs bytes from an address at the start of a word. The rest of the last word stays
        /// erased.
        case program(address: Int, bytes: [UInt8])
    }

    let settings: FlashSettings
    private(set) var bytes: [UInt8]
    /// Whether a word has been erased completely and not programmed since. A word that is
    /// programmed with all ones stays erased.
    private var isErased: [Bool]
    private var running: Operation?

    /// Creates a used flash memory: all pages contain random bytes.
    init(_ settings: FlashSettings, pageCount: Int, _ random: inout SimulationRandom) {
        precondition(settings.isPossible, "no flash has such properties")
        self.settings = settings
        bytes = random.bytes(pageCount * settings.pageByteCount)
        isErased = [Bool](repeating: false, count: bytes.count / settings.wordByteCount)
    }

    /// The bytes in a range, read without taking time.
    subscript(range: Range<Int>) -> ArraySlice<UInt8> { bytes[range] }

    /// Whether a whole range reads as erased. After a power cut, this does not prove that it is
    /// erased.
    func readsErased(_ range: Range<Int>) -> Bool { bytes[range].allSatisfy { $0 == 0xFF } }

    func range(ofPage page: Int) -> Range<Int> {
        page * settings.pageByteCount..<(page + 1) * settings.pageByteCount
    }

    /// The duration of an operation.
    func duration(of operation: Operation) -> Microseconds {
        switch operation {
        case .erase: settings.erase
        case .program(_, let bytes): settings.programTime(of: bytes.count)
        }
    }

    /// Begins an operation, and returns its duration.
    mutating func begin(_ operation: Operation) -> Microseconds {
        precondition(running == nil, "the flash is already busy")
        switch operation {
        case .erase(let page): precondition(range(ofPage: page).upperBound <= bytes.count)
        case .program(let address, let bytes):
            precondition(address.isMultiple(of: settings.wordByteCount) && !bytes.isEmpty)
            for word in words(from: address, bytes.count) {
                precondition(
                    isErased[word],
                    "word \(word) is programmed without being erased first"
                )
            }
        }
        running = operation
        return duration(of: operation)
    }

    /// Finishes the operation in progress.
    mutating func finish() {
        guard let operation = running else { preconditionFailure("no operation has begun") }
        running = nil
        switch operation {
        case .erase(let page):
            bytes.replaceSubrange(
                range(ofPage: page),
                with: repeatElement(0xFF, count: settings.pageByteCount)
            )
            for word in words(ofPage: page) { isErased[word] = true }
        case .program(let address, let bytes):
            program(bytes[...], at: address)
        }
    }

    /// Cuts the power when this time has passed since the start of the operation in progress, if
    /// any. An interrupted erasure leaves garbage in the page. Interrupted programming leaves
    /// garbage in one word; earlier words are complete, and later ones are still erased.
    mutating func losePower(after span: Microseconds, _ random: inout SimulationRandom) {
        guard let operation = running, span > .zero else {
            running = nil
            return
        }
        guard span < duration(of: operation) else { return finish() }
        running = nil
        switch operation {
        case .erase(let page):
            bytes.replaceSubrange(
                range(ofPage: page),
                with: random.bytes(settings.pageByteCount)
            )
            for word in words(ofPage: page) { isErased[word] = false }
        case .program(let address, let bytes):
            let wordByteCount = settings.wordByteCount
            let wholeCount = Int(span.rawValue / settings.programWord.rawValue) * wordByteCount
            let tornCount = min(wordByteCount, bytes.count - wholeCount)
            program(bytes[..<wholeCount], at: address)
            program(random.bytes(tornCount)[...], at: address + wholeCount)
        }
    }

    /// Flips one bit of a byte, to simulate a fault of the memory.
    mutating func damage(at address: Int) { bytes[address] ^= 0x10 }

    // MARK: - Words

    private func words(ofPage page: Int) -> Range<Int> {
        words(from: range(ofPage: page).lowerBound, settings.pageByteCount)
    }

    private func words(from address: Int, _ byteCount: Int) -> Range<Int> {
        let end = address + byteCount + settings.wordByteCount - 1
        return address / settings.wordByteCount..<end / settings.wordByteCount
    }

    private mutating func program(_ content: ArraySlice<UInt8>, at address: Int) {
        let range = address..<address + content.count
        bytes.replaceSubrange(range, with: content)
        for word in words(from: address, content.count) {
            let start = word * settings.wordByteCount
            isErased[word] = readsErased(start..<start + settings.wordByteCount)
        }
    }
}
