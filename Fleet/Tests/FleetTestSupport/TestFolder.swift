import Foundation
import Glibc

/// A new folder below the system's folder for temporary files, which is removed with this.
package final class TestFolder: Sendable {
    private let root: String

    package init() throws {
        let place = FileManager.default.temporaryDirectory.path
        var template = Array((place + "/bleota-fleet-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw POSIXError(.EIO) }
        root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { remove() }

    /// Removes the folder, for a program that ends before this is released.
    package func remove() { try? FileManager.default.removeItem(atPath: root) }

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
}
