import Foundation

/// The files of the repository that these tests are a part of.
enum Repository {
    /// The folder with Package.swift, wherever the tests are run from.
    static let root: URL = {
        // Tests/SpecTests/Support/Repository.swift
        var folder = URL(filePath: #filePath).resolvingSymlinksInPath()
        for _ in 0..<4 { folder.deleteLastPathComponent() }
        return folder
    }()

    static func text(of path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    static func bytes(of path: String) throws -> Data {
        try Data(contentsOf: root.appending(path: path))
    }

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(
            atPath: root.appending(path: path).path(percentEncoded: false)
        )
    }

    /// The paths, relative to the root, of all files below a folder whose names end in `ending`.
    /// Nothing below a folder whose name begins with a dot, where builds are kept.
    static func files(below folder: String = "", ending: String) -> [String] {
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
