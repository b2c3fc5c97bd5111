import Glibc
import SystemPackage

/// A directory for the sockets of one test, gone with it.
final class SocketDirectory: Sendable {
    let path: FilePath

    init() {
        var template = Array("/tmp/bleota-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil, "can't make a directory in /tmp")
        path = FilePath(platformString: template)
    }

    deinit {
        for name in names { _ = path.appending(name).withPlatformString { unlink($0) } }
        _ = path.withPlatformString { rmdir($0) }
    }

    /// Where the listener of a test goes.
    var socket: FilePath { path.appending("link") }

    /// What is in the directory.
    var names: [String] {
        guard let stream = path.withPlatformString({ opendir($0) }) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
