import ArgumentParser
import SystemPackage

/// Where a peer is: `unix:PATH`.
struct Target {
    static let valueName = "unix:PATH"

    let path: FilePath

    init(argument: String) throws(ValidationError) {
        let scheme = "unix:"
        guard argument.hasPrefix(scheme), argument.count > scheme.count else {
            throw ValidationError(
                "a target is unix:PATH, where PATH is the socket that the other side listens on"
            )
        }
        path = FilePath(String(argument.dropFirst(scheme.count)))
    }
}
