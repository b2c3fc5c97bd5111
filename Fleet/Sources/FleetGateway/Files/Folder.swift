import Glibc
package import SystemPackage

/// The few operations on files that a gateway needs, each with a limit.
package enum Folder {
    /// The names in a folder, without `.` and `..`; at most so many, whichever come first.
    package static func names(in folder: FilePath, max: Int) throws(Errno) -> [String] {
        guard let stream = opendir(folder.string) else { throw Errno(rawValue: errno) }
        defer { closedir(stream) }
        var names: [String] = []
        while names.count < max {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw Errno(rawValue: errno) }
                return names
            }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
                    String(validatingCString: $0)
                }
            }
            if let name, name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// The content of a file.
    ///
    /// - Throws: `fileTooLarge` if there is more than `byteCountMax`.
    package static func read(
        _ path: FilePath,
        byteCountMax: Int
    ) throws(Errno) -> [UInt8] {
        let file = try open(path, .readOnly)
        defer { try? file.close() }
        var bytes = [UInt8](repeating: 0, count: byteCountMax + 1)
        var count = 0
        while count < bytes.count {
            let more = try read(file, into: &bytes, from: count)
            if more == 0 { return Array(bytes[..<count]) }
            count += more
        }
        throw .fileTooLarge
    }

    private static func read(
        _ file: FileDescriptor,
        into bytes: inout [UInt8],
        from start: Int
    ) throws(Errno) -> Int {
        try typed {
            try bytes.withUnsafeMutableBytes { try file.read(into: .init(rebasing: $0[start...])) }
        }
    }

    /// Replaces a file in one step. Who reads it sees the old content or the new one.
    package static func replace(_ path: FilePath, with bytes: [UInt8]) throws(Errno) {
        let new = FilePath(path.string + ".new")
        let file = try open(new, .writeOnly, [.create, .truncate])
        defer { try? file.close() }
        _ = try typed { try file.writeAll(bytes) }
        try rename(new, to: path)
    }

    package static func open(
        _ path: FilePath,
        _ mode: FileDescriptor.AccessMode,
        _ options: FileDescriptor.OpenOptions = []
    ) throws(Errno) -> FileDescriptor {
        try typed {
            try FileDescriptor.open(
                path,
                mode,
                options: options.union(.closeOnExec),
                permissions: options.contains(.create) ? [.ownerReadWrite, .groupRead] : nil
            )
        }
    }

    package static func rename(_ old: FilePath, to new: FilePath) throws(Errno) {
        guard Glibc.rename(old.string, new.string) == 0 else { throw Errno(rawValue: errno) }
    }

    package static func remove(_ path: FilePath) throws(Errno) {
        guard unlink(path.string) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Waits until a file, or the names in a folder, would survive a power cut.
    package static func synchronize(_ file: FileDescriptor) throws(Errno) {
        guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Gives an error of the system its type.
    package static func typed<Value>(_ body: () throws -> Value) throws(Errno) -> Value {
        do { return try body() } catch let error as Errno { throw error } catch {
            preconditionFailure("the system's calls throw their own errors: \(error)")
        }
    }
}
