package import Foundation

/// The files of the repository that these tests are a part of.
package enum Repository {
    /// The folder with Package.swift, wherever the tests are run from.
    package static let root: URL = {
        // Tests/BLEOTATestSupport/Repository.swift
        var folder = URL(filePath: #filePath).resolvingSymlinksInPath()
        for _ in 0..<3 { folder.deleteLastPathComponent() }
        return folder
    }()

    /// Where a file is, for whoever opens it by itself.
    package static func path(of path: String) -> String {
        root.appending(path: path).path(percentEncoded: false)
    }

    package static func text(of path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    package static func bytes(of path: String) throws -> Data {
        try Data(contentsOf: root.appending(path: path))
    }

    package static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: Self.path(of: path))
    }

    /// The paths, relative to the root, of all files below a folder whose names end in `ending`.
    /// Nothing below a folder whose name begins with a dot, where builds are kept.
    package static func files(below folder: String = "", ending: String) -> [String] {
        let start = root.appending(path: folder)
        guard
            let walk = FileManager.default.enumerator(
                at: start,
                includingPropertiesForKeys: nil,
                options: [.skipsHiddenFiles]
            )
        else { return [] }
        let prefix = root.path(percentEncoded: false)
        return walk.compactMap { ($0 as? URL)?.path(percentEncoded: false) }
            .filter { $0.hasSuffix(ending) && $0.hasPrefix(prefix) }
            .map { String($0.dropFirst(prefix.count).drop { $0 == "/" }) }
            .sorted()
    }
}
