import SystemPackage

/// Inspects the directory of a store before it is opened. The inspection changes nothing.
struct StoreInspection {
    /// Whether the directory is marked as a store.
    let isMarked: Bool
    /// Whether the directory contains no entry of a store.
    private(set) var isEmpty = true
    /// The paths with a mode other than the store's, and for each the mode that shuts other
    /// users out.
    private(set) var open: [(path: FilePath, mode: UInt32)] = []

    private let disk: Disk

    /// - Throws: `cannotCreate` if the directory is neither a store nor empty, if it is a store of
    ///   another format, if an entry of the wrong kind has one of the store's names, or if an entry
    ///   of the store belongs to another user.
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
        // An entry that is gone by now was removed by someone with permission to change the store.
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
            // A lock file with content belongs to another program.
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

    /// The files in a transfer's directory, each of which must be the store's.
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

extension StoreInspection {
    /// Durably creates the missing parts of a store and denies other users access.
    static func prepare(_ root: FilePath, on disk: Disk) throws(StoreError) {
        // Another process may have changed the directory before it was locked; none can now.
        var inspection = try StoreInspection(of: root, on: disk)
        if !inspection.open.isEmpty {
            for place in inspection.open { try disk.setMode(place.path, place.mode) }
            // Until now, other users may have been able to add files here.
            inspection = try StoreInspection(of: root, on: disk)
        }
        if !inspection.isMarked { try StoreMarker.write(in: root, on: disk) }
        try disk.makeDirectory(root.appending(StoreForm.images))
        try disk.makeDirectory(root.appending(StoreForm.incoming))
        try disk.synchronizeDirectory(root)
    }
}
