import FleetModel
import Glibc

import struct Crypto.SHA256
import struct SystemPackage.Errno
import struct SystemPackage.FileDescriptor
import struct SystemPackage.FilePath

/// The files of an image cache.
///
///     lock           held by the process that uses the folder
///     instance       a number by which this place is told from others of the same name
///     DIGEST         a whole image, whose digest was checked before it got this name
///     DIGEST.part    an image that is being fetched; removed when the folder is opened
///
/// A file gets its last name when its bytes are durable, so a kill or a power cut leaves a whole
/// image or none. Files with other names are left alone.
final class CacheFolder: Sendable {
    private static let partEnding = ".part"
    /// Images are MB large, so a cache of 64 GiB has some ten thousands.
    private static let namesMax = 1 << 17
    /// The bytes that are read at once for a digest.
    private static let readByteCount = 1 << 18

    struct File {
        let image: Digest
        let byteCount: UInt64
    }

    private let folder: FilePath
    private let lock: FileDescriptor

    /// Opens a folder, which is made if its parent is there.
    init(_ folder: FilePath) throws(ImageCacheError) {
        self.folder = folder
        if mkdir(folder.string, 0o700) != 0, errno != EEXIST {
            throw .disk(folder, Errno(rawValue: errno))
        }
        let path = folder.appending("lock")
        lock = try Self.asking(path) { () throws(Errno) in
            try Folder.open(path, .readWrite, .create)
        }
        guard flock(lock.rawValue, LOCK_EX | LOCK_NB) == 0 else {
            let error = Errno(rawValue: errno)
            try? lock.close()
            throw error == .wouldBlock ? .inUse(folder) : .disk(path, error)
        }
    }

    deinit { try? lock.close() }

    func path(of image: Digest) -> FilePath { folder.appending(image.hexadecimal) }

    /// A number that no other folder has, the same each time.
    func instance() throws(ImageCacheError) -> UInt64 {
        let path = folder.appending("instance")
        return try Self.asking(path) { () throws(Errno) in
            let known = try? Folder.read(path, byteCountMax: 32)
            if let known, let number = UInt64(String(decoding: known, as: UTF8.self), radix: 16) {
                return number
            }
            let number = UInt64.random(in: 1 ... .max)
            try Folder.replace(path, with: Array(String(number, radix: 16).utf8))
            return number
        }
    }

    /// Removes what a fetch has left that was killed, and returns the images, of which the first
    /// has been used longest ago.
    func open() throws(ImageCacheError) -> [File] {
        let names = try Self.asking(folder) { () throws(Errno) in
            try Folder.names(in: folder, max: Self.namesMax)
        }
        var files: [(File, usedAt: timespec)] = []
        for name in names {
            if name.hasSuffix(Self.partEnding) {
                let digest = Digest(hexadecimal: String(name.dropLast(Self.partEnding.utf8.count)))
                if let digest { try remove(partPath(of: digest)) }
                continue
            }
            guard let image = Digest(hexadecimal: name), image.hexadecimal == name else { continue }
            var status = stat()
            guard lstat(path(of: image).string, &status) == 0, status.st_mode & S_IFMT == S_IFREG
            else { continue }
            files.append((File(image: image, byteCount: UInt64(status.st_size)), status.st_mtim))
        }
        return files.sorted {
            ($0.usedAt.tv_sec, $0.usedAt.tv_nsec) < ($1.usedAt.tv_sec, $1.usedAt.tv_nsec)
        }.map(\.0)
    }

    /// Notes on the disk that an image is used now. If that fails, another is removed first later.
    func touch(_ image: Digest) { _ = utimensat(AT_FDCWD, path(of: image).string, nil, 0) }

    func remove(_ image: Digest) throws(ImageCacheError) { try remove(path(of: image)) }

    private func remove(_ path: FilePath) throws(ImageCacheError) {
        do { try Folder.remove(path) } catch {
            guard error == .noSuchFileOrDirectory else { throw .disk(path, error) }
        }
    }

    /// Whether the file of an image still has the bytes of its digest.
    func isIntact(_ image: Digest) throws(ImageCacheError) -> Bool {
        let path = path(of: image)
        return try Self.asking(path) { () throws(Errno) in
            let file = try Folder.open(path, .readOnly)
            defer { try? file.close() }
            var hash = SHA256()
            var buffer = [UInt8](repeating: 0, count: Self.readByteCount)
            while true {
                let count = try Folder.typed {
                    try buffer.withUnsafeMutableBytes { try file.read(into: $0) }
                }
                if count == 0 { return Array(hash.finalize()) == image.bytes }
                buffer.withUnsafeBytes { hash.update(bufferPointer: .init(rebasing: $0[..<count])) }
            }
        }
    }

    // MARK: - Fetching

    func beginPart(_ image: Digest) throws(ImageCacheError) -> Part {
        let path = partPath(of: image)
        let file = try Self.asking(path) { () throws(Errno) in
            try Folder.open(path, .writeOnly, [.create, .truncate])
        }
        return Part(image: image, path: path, file: file)
    }

    private func partPath(of image: Digest) -> FilePath {
        folder.appending(image.hexadecimal + Self.partEnding)
    }

    /// An image that is being fetched. It is removed unless it is kept.
    struct Part: ~Copyable {
        let image: Digest
        let path: FilePath
        let file: FileDescriptor
        private var hash = SHA256()

        init(image: Digest, path: FilePath, file: FileDescriptor) {
            self.image = image
            self.path = path
            self.file = file
        }

        mutating func append(_ bytes: [UInt8]) throws(ImageCacheError) {
            hash.update(data: bytes)
            let file = file
            _ = try CacheFolder.asking(path) { () throws(Errno) in
                try Folder.typed { try file.writeAll(bytes) }
            }
        }

        /// - Throws: ``ImageCacheError/wrongBytes(_:)`` if the bytes aren't those of the digest.
        consuming func keep(in folder: CacheFolder) throws(ImageCacheError) {
            guard Array(hash.finalize()) == image.bytes else { throw .wrongBytes(image) }
            let (file, path, target) = (file, path, folder.path(of: image))
            try CacheFolder.asking(path) { () throws(Errno) in
                try Folder.synchronize(file)
                try Folder.rename(path, to: target)
                let names = try Folder.open(folder.folder, .readOnly)
                defer { try? names.close() }
                try Folder.synchronize(names)
            }
        }

        deinit {
            try? file.close()
            // It is there no more if it was kept.
            try? Folder.remove(path)
        }
    }

    private static func asking<Value>(
        _ path: FilePath,
        _ body: () throws(Errno) -> Value
    ) throws(ImageCacheError) -> Value {
        do { return try body() } catch { throw .disk(path, error) }
    }
}
