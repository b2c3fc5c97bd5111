import ArgumentParser
import BLEOTASimulation

/// The argument of `--phy`: `1M`, `2M`, `coded-s2` or `coded-s8`.
enum PHYArgument: String, ExpressibleByArgument, CaseIterable {
    case le1M = "1M"
    case le2M = "2M"
    case codedS2 = "coded-s2"
    case codedS8 = "coded-s8"

    var phy: PHY {
        switch self {
        case .le1M: .le1M
        case .le2M: .le2M
        case .codedS2: .codedS2
        case .codedS8: .codedS8
        }
    }
}
