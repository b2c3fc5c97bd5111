#if BlueZ
import ArgumentParser
import BLEOTABlueZ

/// The argument of `--link`: the security that a link needs.
enum LinkArgument: String, ExpressibleByArgument, CaseIterable {
    case open, encrypted, authenticated

    var security: LinkSecurity {
        switch self {
        case .open: .open
        case .encrypted: .encrypted
        case .authenticated: .authenticated
        }
    }
}
#endif
