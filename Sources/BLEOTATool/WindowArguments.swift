import ArgumentParser
import BLEOTA

/// `auto` or a number of chunks.
enum WindowArgument: ExpressibleByArgument {
    case automatic
    case chunks(Int)

    init?(argument: String) {
        if argument == "auto" {
            self = .automatic
        } else if let count = Int(argument), (1...WindowPolicy.chunkCountMax).contains(count) {
            self = .chunks(count)
        } else {
            return nil
        }
    }

    var defaultValueDescription: String { "auto" }

    var policy: WindowPolicy {
        switch self {
        case .automatic: .automatic
        case .chunks(let count): .fixed(chunkCount: count)
        }
    }
}

/// `N` or `N:MS`.
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

/// `with-response` or `without-response`.
enum WriteModeArgument: String, ExpressibleByArgument, CaseIterable {
    case withResponse = "with-response"
    case withoutResponse = "without-response"

    var delivery: Delivery { self == .withResponse ? .withResponse : .withoutResponse }
}
