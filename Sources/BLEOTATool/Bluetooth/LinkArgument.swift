#if BlueZ
import ArgumentParser
import BLEOTABlueZ

/// What a link has to be.
struct LinkArgument {
    let security: LinkSecurity

    init(_ text: String) throws {
        guard let security = LinkSecurity(rawValue: text) else {
            throw ValidationError("a link is open, encrypted or authenticated, not \(text)")
        }
        self.security = security
    }
}
#endif
