import FleetTestSupport
import Glibc

import struct SystemPackage.Errno

/// A disk of 256 KiB of its own, which root alone may mount.
final class SmallDisk: Sendable {
    static let isAllowed = (try? SmallDisk()) != nil
    static let isMissing = "only root may mount a small disk"

    private let folder: TestFolder

    var path: String { folder.path("disk") }

    init() throws {
        folder = try TestFolder()
        mkdir(path, 0o700)
        guard mount("tmpfs", path, "tmpfs", 0, "size=256k") == 0 else {
            throw Errno(rawValue: errno)
        }
    }

    func makeReadOnly() throws {
        guard mount("tmpfs", path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0
        else { throw Errno(rawValue: errno) }
    }

    deinit { umount2(path, Int32(MNT_DETACH)) }
}
