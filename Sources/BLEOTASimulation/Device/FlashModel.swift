import BLEOTACore

/// A flash memory: a page is erased at once, a word is programmed once after that, and one thing is
/// done at a time.
///
/// To erase what is in use, or to program what is not erased, is a mistake of the store, and traps.
struct FlashModel {
    /// What it can be told to do.
    enum Operation: Equatable {
        case erase(page: Int)
        /// Bytes from an address on, which begins a word. The rest of the last word stays erased.
        case program(address: Int, bytes: [UInt8])
    }

    let settings: FlashSettings
    private(set) var bytes: [UInt8]
    /// Whether a word is as an erasure that was not interrupted left it. To program nothing but
    /// ones leaves it so.
    private var isErased: [Bool]
    private var running: Operation?

    /// A used one: there is something everywhere.
    init(_ settings: FlashSettings, pageCount: Int, _ random: inout SimulationRandom) {
        precondition(settings.isPossible, "no flash is like that")
        self.settings = settings
        bytes = random.bytes(pageCount * settings.pageByteCount)
        isErased = [Bool](repeating: false, count: bytes.count / settings.wordByteCount)
    }

    /// What is in a range, read without taking time.
    subscript(range: Range<Int>) -> ArraySlice<UInt8> { bytes[range] }

    /// Whether all of a range reads as erased. After a power cut that is no proof of it.
    func readsErased(_ range: Range<Int>) -> Bool { bytes[range].allSatisfy { $0 == 0xFF } }

    func range(ofPage page: Int) -> Range<Int> {
        page * settings.pageByteCount..<(page + 1) * settings.pageByteCount
    }

    /// How long something takes.
    func duration(of operation: Operation) -> Microseconds {
        switch operation {
        case .erase: settings.erase
        case .program(_, let bytes): settings.programTime(of: bytes.count)
        }
    }

    /// Begins something, which is over after its duration.
    mutating func begin(_ operation: Operation) -> Microseconds {
        precondition(running == nil, "flash does one thing at a time")
        switch operation {
        case .erase(let page): precondition(range(ofPage: page).upperBound <= bytes.count)
        case .program(let address, let bytes):
            precondition(address.isMultiple(of: settings.wordByteCount) && !bytes.isEmpty)
            for word in words(from: address, bytes.count) {
                precondition(isErased[word], "word \(word) is programmed, and was not erased")
            }
        }
        running = operation
        return duration(of: operation)
    }

    /// What was begun is over.
    mutating func finish() {
        guard let operation = running else { preconditionFailure("nothing was begun") }
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

    /// The power is cut so long after the beginning of what is going on, if anything is: a page
    /// that was being erased is garbage, and so is the word that was being programmed; those before
    /// it are as they should be, and those after it still erased.
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

    /// A byte changes by itself.
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
