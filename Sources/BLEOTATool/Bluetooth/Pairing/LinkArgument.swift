#if BlueZ
import ArgumentParser
import BLEOTABlueZ

/// What a link has to be.
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
