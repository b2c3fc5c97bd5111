import ArgumentParser
import BLEOTA
import BLEOTACore

/// The argument of `--burst`: `N` or `N:MS`.
struct BurstArgument: ExpressibleByArgument {
    let policy: WindowPolicy

    init?(argument: String) {
        let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
        guard let count = parts.first.flatMap({ Int($0) }),
            (1...WindowPolicy.chunkCountMax).contains(count)
        else { return nil }
        switch parts.count {
        case 1: policy = .burst(chunkCount: count, pause: .untilAcknowledged)
        case 2:
            guard let milliseconds = Int(parts[1]), (0...10_000).contains(milliseconds) else {
                return nil
            }
            policy = .burst(chunkCount: count, pause: .time(.milliseconds(milliseconds)))
        default: return nil
        }
    }
}
