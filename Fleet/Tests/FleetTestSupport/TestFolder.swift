import Foundation
import Glibc

/// A new folder below the system's folder for temporary files, which is removed with this, or by
/// the next process with a test folder if this one is killed.
package final class TestFolder: Sendable {
    private let root: String
    private let lock: Lock

    package init() throws {
        _ = Self.removal
        var template = Array((Self.place + "/bleota-fleet-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw POSIXError(.EIO) }
        root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        lock = try Lock(makingIn: root)
    }

    deinit {
        remove()
        lock.end()
    }

    /// Removes the folder, for a program that ends before this is released.
    package func remove() { Self.remove(root) }

    package func path(_ name: String) -> String { root + "/" + name }

    /// Writes a file, and returns its path.
    package func write(_ text: String, to name: String) throws -> String {
        try text.write(toFile: path(name), atomically: true, encoding: .utf8)
        return path(name)
    }

    package static func write(_ bytes: [UInt8], _ path: String) -> Bool {
        FileManager.default.createFile(atPath: path, contents: Data(bytes))
    }

    package static func read(_ path: String) -> [UInt8]? {
        FileManager.default.contents(atPath: path).map { [UInt8]($0) }
    }

    // MARK: - What killed processes left

    private static var place: String { FileManager.default.temporaryDirectory.path }

    private static func remove(_ root: String) {
        try? FileManager.default.removeItem(atPath: root)
    }

    /// Removes the folders that nobody has any more, once in a process.
    private static let removal: Void = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
        for name in names where name.hasPrefix("bleota-fleet-") {
            let root = place + "/" + name
            if let lock = Lock(leftIn: root) {
                remove(root)
                lock.end()
            }
        }
    }()

    /// A lock on a folder, which the system ends with the process that has it.
    private struct Lock: Sendable {
        private static let name = "/.lock"

        private let descriptor: Int32

        /// Locks a new folder. The file has its name only when it is locked, so that nobody takes
        /// the folder for one that was left.
        init(makingIn root: String) throws {
            let path = root + "/.new-lock"
            descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0, flock(descriptor, LOCK_EX) == 0,
                rename(path, root + Self.name) == 0
            else { throw POSIXError(.EIO) }
        }

        /// Locks a folder that nobody has; `nil` if somebody has it, or it isn't such a folder.
        init?(leftIn root: String) {
            let found = open(root + Self.name, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
            guard found >= 0 else { return nil }
            guard flock(found, LOCK_EX | LOCK_NB) == 0 else {
                close(found)
                return nil
            }
            descriptor = found
        }

        func end() { close(descriptor) }
    }
}
