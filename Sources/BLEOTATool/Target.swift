import ArgumentParser
import SystemPackage

/// Where a peer is: `unix:PATH`.
struct Target: ExpressibleByArgument {
    let path: FilePath

    init?(argument: String) {
        let scheme = "unix:"
        guard argument.hasPrefix(scheme), argument.count > scheme.count else { return nil }
        path = FilePath(String(argument.dropFirst(scheme.count)))
    }

    static var valueName: String { "unix:PATH" }
}
