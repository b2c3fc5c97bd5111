import SystemPackage

@testable import BLEOTA

/// A disk that can be looked at as it would be after a power cut.
///
/// It is told of each step of a store and keeps two things apart: what the system says is there,
/// and what must be there when the power comes back. Of everything between the two a power cut may
/// leave any part. Which part is chosen by ``Names`` and ``Contents``:
///
/// - Names. Journaling file systems write changes of names in their order, so that a beginning of
///   them survives that reaches at least to the last one whose directory was synchronised. POSIX
///   promises less: a change survives if its directories were synchronised after it.
/// - Contents. What was synchronised survives. Of what was written since, nothing may, or all, or
///   some of the sectors of 512 bytes.
///
/// The model does not know sectors that become unreadable, nor a disk that lies about what it
/// wrote.
struct DiskModel: Sendable {
    enum Names: CaseIterable { case fewestInOrder, onlySynchronized, all }
    enum Contents: CaseIterable { case onlySynchronized, someSectors, all }

    private struct File: Sendable {
        var current: [UInt8] = []
        var synchronized: [UInt8] = []

        /// Some sectors as they were synchronised, some as they were written since.
        func mixed(_ random: inout SeededRandom) -> [UInt8] {
            var bytes = Bool.random(using: &random) ? current : synchronized
            for start in stride(from: 0, to: bytes.count, by: 512) {
                let source = Bool.random(using: &random) ? current : synchronized
                for index in start..<min(start + 512, bytes.count) {
                    bytes[index] = index < source.count ? source[index] : 0
                }
            }
            return bytes
        }
    }

    private enum Entry: Sendable {
        case directory(Int)
        case file(Int)
        case link(String)
    }

    private enum Change: Sendable {
        case add(String, Entry)
        case remove(String)
        case rename(String, String)
    }

    private typealias Entries = [String: Entry]

    private let root: String
    /// What was there, and durable, when the model began.
    private var base: Entries = [:]
    private var entries: Entries = [:]
    private var changes: [(change: Change, directories: Set<Int>)] = []
    /// For each directory how many of the changes had been made when it was synchronised last.
    private var synchronizedChangeCounts: [Int: Int] = [:]
    private var files: [Int: File] = [:]
    private var nextID = 0

    /// A model of the directory `root`, all of which is durable.
    init(root: FilePath) {
        self.root = root.string
        base[self.root] = .directory(makeID())
        for (name, node) in FileTree(at: root).nodes {
            let id = makeID()
            let path = "\(self.root)/\(name)"
            switch node {
            case .directory: base[path] = .directory(id)
            case .link(let target): base[path] = .link(target)
            case .file(let bytes):
                base[path] = .file(id)
                files[id] = File(current: bytes, synchronized: bytes)
            }
        }
        entries = base
    }

    private mutating func makeID() -> Int {
        defer { nextID += 1 }
        return nextID
    }

    // MARK: - Steps

    mutating func make(_ step: DiskStep) {
        switch step {
        case .makeDirectory(let path): change(.add(path.string, .directory(makeID())))
        case .createFile(let path):
            let id = makeID()
            files[id] = File()
            change(.add(path.string, .file(id)))
        case .makeLink(let path, let target): change(.add(path.string, .link(target.string)))
        case .removeFile(let path), .removeDirectory(let path): change(.remove(path.string))
        case .rename(let path, let target): change(.rename(path.string, target.string))
        case .setLength(let path, let byteCount):
            edit(path) { $0.current = Array(repeating: 0, count: byteCount) }
        case .reserve, .setMode: break
        case .write(let path, let byteOffset, let bytes):
            edit(path) {
                $0.current.replaceSubrange(byteOffset..<byteOffset + bytes.count, with: bytes)
            }
        case .synchronize(let path): edit(path) { $0.synchronized = $0.current }
        case .synchronizeDirectory(let path):
            // A directory outside the model, as the one that holds its root, has nothing to keep.
            guard case .directory(let id) = entries[path.string] else { return }
            synchronizedChangeCounts[id] = changes.count
        }
    }

    private mutating func change(_ change: Change) {
        let paths: [String] =
            switch change {
            case .add(let path, _), .remove(let path): [path]
            case .rename(let path, let target): [path, target]
            }
        let directories = paths.compactMap { path -> Int? in
            guard case .directory(let id) = entries[Self.parent(of: path)] else { return nil }
            return id
        }
        changes.append((change, Set(directories)))
        Self.apply(change, to: &entries)
    }

    /// A file is known by the name it was opened under, also when its directory was renamed since:
    /// the stores write to no file after that.
    private mutating func edit(_ path: FilePath, _ body: (inout File) -> Void) {
        guard case .file(let id) = entries[path.string] else { fatalError("no file \(path)") }
        body(&files[id]!)
    }

    private static func apply(_ change: Change, to entries: inout Entries) {
        switch change {
        case .add(let path, let entry):
            guard entries[parent(of: path)] != nil else { return }
            entries[path] = entry
        case .remove(let path):
            // With all that is in it: of a directory it may have survived that it went, and not
            // that it had been emptied before.
            for inner in entries.keys where isIn(path, inner) { entries[inner] = nil }
        case .rename(let path, let target):
            guard entries[path] != nil else { return }
            for (inner, entry) in entries where isIn(path, inner) {
                entries[inner] = nil
                entries[target + inner.dropFirst(path.count)] = entry
            }
        }
    }

    // MARK: - What is there

    /// What the system says is there: what a process finds that is started after another was
    /// killed.
    var present: FileTree { tree(entries) { $0.current } }

    /// What a power cut may leave.
    func afterPowerCut(_ names: Names, _ contents: Contents, seed: UInt64) -> FileTree {
        var random = SeededRandom(seed: seed)
        return tree(surviving(names)) { file in
            switch contents {
            case .onlySynchronized: file.synchronized
            case .someSectors: file.mixed(&random)
            case .all: file.current
            }
        }
    }

    private func surviving(_ names: Names) -> Entries {
        var entries = base
        let synchronizedCount =
            changes.indices.last { index in
                changes[index].directories.contains { (synchronizedChangeCounts[$0] ?? 0) > index }
            }.map { $0 + 1 } ?? 0
        for (index, (change, directories)) in changes.enumerated() {
            let survives =
                switch names {
                case .all: true
                case .fewestInOrder: index < synchronizedCount
                case .onlySynchronized:
                    directories.allSatisfy { (synchronizedChangeCounts[$0] ?? 0) > index }
                }
            if survives { Self.apply(change, to: &entries) }
        }
        return entries
    }

    private func tree(
        _ entries: Entries,
        _ content: (File) -> [UInt8]
    ) -> FileTree {
        var tree = FileTree()
        for (path, entry) in entries.sorted(by: { $0.key < $1.key }) where path != root {
            let name = String(path.dropFirst(root.count + 1))
            switch entry {
            case .directory: tree.nodes[name] = .directory
            case .link(let target): tree.nodes[name] = .link(target)
            case .file(let id): tree.nodes[name] = .file(content(files[id]!))
            }
        }
        return tree
    }

    // MARK: - Paths

    private static func parent(of path: String) -> String {
        String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }

    private static func isIn(_ directory: String, _ path: String) -> Bool {
        path == directory || path.hasPrefix(directory + "/")
    }
}
