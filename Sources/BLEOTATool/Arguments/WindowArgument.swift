import ArgumentParser
import BLEOTA
import BLEOTACore

/// The argument of `--window`: `auto` or a number of chunks.
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
