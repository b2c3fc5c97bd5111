import Platform

/// Reads every vector that is linked in, and says a line for each: its id and a digest of what was
/// read, or what is wrong. The same lines come of every machine.
struct ConformanceRun {
    /// How much of the words before and after a difference is shown.
    private static var shownBefore: Int { 60 }
    private static var shownAfter: Int { 100 }

    private var file: UnsafeRawBufferPointer?
    private var countOfFile = 0
    private var failedCountOfFile = 0
    private var count = 0
    private(set) var failedCount = 0

    mutating func readAll(_ packed: UnsafeRawBufferPointer) {
        var rest = VectorInput(packed)
        while let vector = PackedVector(from: &rest) {
            if vector.kind == .heading {
                closeFile()
                file = vector.id
            } else {
                read(vector)
            }
        }
        closeFile()
        sum("all", of: nil, count, failedCount)
    }

    private mutating func read(_ vector: PackedVector) {
        // Before it is read: should it trap, the last line names it.
        Output.write(vector.id)
        Output.write(": ")
        var reading = Reading(expecting: vector.expected)
        Self.read(vector, as: &reading)
        count += 1
        countOfFile += 1
        if let difference = reading.difference {
            failedCount += 1
            failedCountOfFile += 1
            Self.show(vector, difference)
        } else {
            Output.write(hex: reading.digest)
        }
        Output.write("\n")
    }

    private static func read(_ vector: PackedVector, as reading: inout Reading) {
        var input = vector.input
        switch vector.kind {
        case .heading: break
        case .senderControl: ControlVector.readFromSender(&input, &reading)
        case .receiverControl: ControlVector.readFromReceiver(&input, &reading)
        case .data: DataVector.read(&input, &reading)
        case .checksum: ChecksumVector.read(&input, &reading)
        case .chunkSize: ArithmeticVector.chunkSize(&input, &reading)
        case .chunkIndex: ArithmeticVector.chunkIndex(&input, &reading)
        case .account: ArithmeticVector.account(&input, &reading)
        case .epochOrder: ArithmeticVector.epochOrder(&input, &reading)
        case .direction: ArithmeticVector.direction(&input, &reading)
        case .manifestByteCount: ManifestVector.byteCount(&input, &reading)
        case .nameTag: ArithmeticVector.nameTag(&input, &reading)
        case .manifest: ManifestVector.read(&input, &reading)
        case .transfer: TransferVector.read(&input, &reading)
        }
        reading.end()
    }

    /// Shows what was expected around the first difference, and what was read: by reading again.
    private static func show(_ vector: PackedVector, _ difference: Int) {
        let shown = max(difference - shownBefore, 0)..<difference + shownAfter
        let expected = vector.expected[shown.clamped(to: 0..<vector.expected.count)]
        Output.write("FAILED\n  expected: ")
        Output.write(UnsafeRawBufferPointer(rebasing: expected))
        Output.write("\n  read:     ")
        var reading = Reading(expecting: vector.expected, showing: shown)
        read(vector, as: &reading)
    }

    private mutating func closeFile() {
        if let file { sum("", of: file, countOfFile, failedCountOfFile) }
        countOfFile = 0
        failedCountOfFile = 0
    }

    private func sum(
        _ name: StaticString,
        of file: UnsafeRawBufferPointer?,
        _ count: Int,
        _ failedCount: Int
    ) {
        Output.write("== ")
        if let file { Output.write(file) } else { Output.write(name) }
        Output.write(": ")
        Output.write(count)
        Output.write(" run, ")
        Output.write(failedCount)
        Output.write(" failed\n")
    }
}

/// Where the C of each machine begins.
///
/// - Returns: how many vectors failed.
@_cdecl("conformance_run")
public func conformanceRun() -> Int32 {
    var run = ConformanceRun()
    run.readAll(Machine.vectors)
    return Int32(run.failedCount)
}
