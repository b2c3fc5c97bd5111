import Glibc
import SystemPackage

/// A file system in memory of 256 KiB, which can really be full. Needs the right to mount.
final class FullDisk: Sendable {
    static let byteCount = 256 << 10

    /// Whether this process may mount.
    static let isPossible: Bool = {
        do {
            _ = try FullDisk()
            return true
        } catch {
            return false
        }
    }()

    private let directory = TemporaryDirectory()
    var path: FilePath { directory.path }
    private var filler: FilePath { path / "filler" }

    init() throws(Errno) {
        let error = path.withPlatformString { mount("tmpfs", $0, "tmpfs", 0, "size=256k") }
        if error != 0 { throw Errno(rawValue: errno) }
    }

    deinit { path.withPlatformString { _ = umount2($0, CInt(MNT_DETACH)) } }

    /// Takes all the space but `byteCount` bytes.
    func fill(leaving byteCount: Int) {
        empty()
        writeFile(filler, Array(repeating: 1, count: bytesFree - byteCount))
    }

    /// Gives the space back.
    func empty() {
        filler.withPlatformString { _ = unlink($0) }
    }

    var bytesFree: Int {
        var status = statvfs()
        _ = path.withPlatformString { statvfs($0, &status) }
        return Int(status.f_bavail * status.f_frsize)
    }
}
