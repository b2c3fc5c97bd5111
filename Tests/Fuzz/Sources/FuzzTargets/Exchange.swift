import BLEOTACore
import BLEOTAWire

/// What was done to a device, and what it said to it, as far as the time does not decide that.
///
/// For an input of ``FuzzTarget/hostile`` these take the place of the edges that it reaches: tasks
/// of the device run beside it, so that the same input need not reach the same edges twice.
public struct Exchange: Hashable, Sendable {
    enum Answer: Hashable {
        case account(of: ObjectID)
        case result(Reason)
    }

    let operation: Int
    let answer: Answer

    /// All exchanges of an input, in each of a few runs; none if it breaks a property.
    public static func all(in bytes: [UInt8]) async -> Set<Exchange> {
        var common: Set<Exchange>?
        for _ in 0..<3 {
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
            defer { copy.deallocate() }
            copy.copyBytes(from: bytes)
            var run = HostileRun(UnsafeRawBufferPointer(copy))
            guard (try? await run.play()) != nil else { return [] }
            common = common?.intersection(run.exchanges) ?? run.exchanges
        }
        return common ?? []
    }
}
