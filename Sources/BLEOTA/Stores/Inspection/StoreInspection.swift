import SystemPackage

/// A look at the directory of a store before it is opened, which changes nothing.
struct StoreInspection {
    /// Whether it says that it is a store.
    let isMarked: Bool
    /// Whether nothing of a store is in it.
    private(set) var isEmpty = true
    /// What others may read or write, and the mode that keeps it from them.
    private(set) var open: [(path: FilePath, mode: UInt32)] = []

    private let disk: Disk

    /// - Throws: `cannotCreate` where the directory is no store and not empty, where it is a store
    ///   of another format, where something else has one of its own names, and where
    ///   something of the store belongs to another user.
    init(of root: FilePath, on disk: Disk) throws(StoreError) {
        self.disk = disk
        switch try StoreMarker.look(in: root, on: disk) {
        case .missing: isMarked = false
        case .present: isMarked = true
        case .ofFormat(let number): throw .newerStore(root, format: number)
        }
        if let (kind, mode) = disk.kindAndMode(of: root) { note(root, kind, mode) }
        for name in try disk.list(root) { try look(at: name, in: root) }
    }

    private mutating func look(
        at name: FilePath.Component,
        in root: FilePath
    ) throws(StoreError) {
        let path = root.appending(name)
        // What has gone meanwhile was somebody's who may change what is there.
        guard let (kind, mode) = disk.kindAndMode(of: path) else { return }
        guard let place = StoreForm.place(of: name) else {
            let isFileSystem = name == "lost+found" && kind == .directory
            if !isMarked, !isFileSystem { throw .notAStore(root, because: path) }
            return
        }
        isEmpty = false
        try disk.requireOwner(of: path)
        switch (place, kind) {
        case (.file, .file):
            // One of another program would not be empty.
            if !isMarked, name == StoreForm.lock, disk.fileByteCount(of: path) != 0 {
                throw .notAStore(root, because: path)
            }
            note(path, kind, mode)
        case (.directory, .directory):
            note(path, kind, mode)
            try look(atTransfersIn: path, root)
        case (.link(let isRight), .link):
            if let target = disk.linkTarget(of: path), !isRight(target) {
                throw name == StoreForm.counter
                    ? .counterOfAnother(path) : .notOfTheStore(path)
            }
        default: throw isMarked ? .notOfTheStore(path) : .notAStore(root, because: path)
        }
    }

    private mutating func look(
        atTransfersIn directory: FilePath,
        _ root: FilePath
    ) throws(StoreError) {
        for name in try disk.list(directory) {
            let path = directory.appending(name)
            guard StoreForm.isTag(name) else {
                if !isMarked { throw .notAStore(root, because: path) }
                continue
            }
            guard let (kind, mode) = disk.kindAndMode(of: path) else { continue }
            guard kind == .directory else { throw .notOfTheStore(path) }
            try disk.requireOwner(of: path)
            note(path, kind, mode)
            for file in try Self.files(in: path, on: disk) { note(file.path, .file, file.mode) }
        }
    }

    /// What is in the directory of a transfer, all of which must be the store's.
    @discardableResult
    static func files(
        in directory: FilePath,
        on disk: Disk
    ) throws(StoreError) -> [(path: FilePath, mode: UInt32)] {
        var files: [(path: FilePath, mode: UInt32)] = []
        for name in try disk.list(directory) {
            let path = directory.appending(name)
            guard let (kind, mode) = disk.kindAndMode(of: path) else { continue }
            guard kind == .file, StoreForm.transferNames.contains(name) else {
                throw .notOfTheStore(path)
            }
            try disk.requireOwner(of: path)
            files.append((path, mode))
        }
        return files
    }

    private mutating func note(_ path: FilePath, _ kind: Disk.Kind, _ mode: UInt32) {
        let closed: UInt32 = kind == .directory ? 0o700 : 0o600
        if mode != closed { open.append((path, closed)) }
    }
}
