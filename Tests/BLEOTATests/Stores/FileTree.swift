import Glibc
import SystemPackage

/// The content of a directory: files, links and directories by their paths in it.
///
/// Paths are strings here: the tests make hundreds of thousands of them, and comparing paths
/// component by component takes most of the time in a debug build.
struct FileTree: Hashable, Sendable {
    enum Node: Hashable, Sendable {
        case directory
        case file([UInt8])
        case link(String)
    }

    var nodes: [String: Node] = [:]

    init() {}

    /// Reads what is at `root`.
    init(at root: FilePath) {
        read(root.string, as: "")
    }

    private mutating func read(_ directory: String, as prefix: String) {
        guard let stream = opendir(directory) else { return }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
                    String(cString: $0)
                }
            }
            if name == "." || name == ".." { continue }
            let path = "\(directory)/\(name)"
            let key = prefix + name
            var status = stat()
            lstat(path, &status)
            switch status.st_mode & S_IFMT {
            case S_IFDIR:
                nodes[key] = .directory
                read(path, as: key + "/")
            case S_IFLNK:
                var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
                let count = target.withUnsafeMutableBytes {
                    readlink(path, $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count)
                }
                nodes[key] = .link(String(decoding: target[..<count], as: UTF8.self))
            default:
                nodes[key] = .file(readFile(FilePath(path)) ?? [])
            }
        }
    }

    /// Makes all of it under `root`, which exists.
    func write(to root: FilePath) {
        for (name, node) in nodes.sorted(by: { $0.key < $1.key }) {
            let path = "\(root.string)/\(name)"
            switch node {
            case .directory: mkdir(path, 0o777)
            case .file(let bytes): writeFile(FilePath(path), bytes)
            case .link(let target): symlink(target, path)
            }
        }
    }

    /// Removes a directory and all that is in it.
    static func remove(_ root: FilePath) {
        for (name, node) in FileTree(at: root).nodes.sorted(by: { $0.key > $1.key }) {
            let path = "\(root.string)/\(name)"
            if node == .directory { rmdir(path) } else { unlink(path) }
        }
        rmdir(root.string)
    }
}

/// The bytes of a file; `nil` if it can't be opened.
func readFile(_ path: FilePath) -> [UInt8]? {
    guard let file = try? FileDescriptor.open(path, .readOnly) else { return nil }
    defer { try? file.close() }
    guard let end = try? file.seek(offset: 0, from: .end) else { return nil }
    return [UInt8](unsafeUninitializedCapacity: Int(end)) { buffer, count in
        count = (try? file.read(fromAbsoluteOffset: 0, into: .init(buffer))) ?? 0
    }
}

/// Makes or replaces a file.
func writeFile(_ path: FilePath, _ bytes: [UInt8]) {
    let permissions = FilePermissions(rawValue: 0o644)
    guard
        let file = try? FileDescriptor.open(
            path,
            .writeOnly,
            options: [.create, .truncate],
            permissions: permissions
        )
    else { fatalError("cannot make \(path)") }
    _ = try? file.writeAll(bytes)
    try? file.close()
}
