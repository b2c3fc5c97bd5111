import Glibc
import SystemPackage

/// An open regular file that can be read at any offset from any thread, and that detects
/// changes.
///
/// The file is never mapped into memory. If a file is truncated, an access to a mapping of it ends
/// the process with a signal; a read call returns an error that can be reported. The descriptor is
/// closed when the last reference is released.
final class ImageFile: Sendable {
    /// The size of the file when it was opened.
    let byteCount: Int
    let fileName: String
    private let descriptor: FileDescriptor
    private let stamp: Stamp

    /// The values that change whenever the file is overwritten or truncated. The ctime is left
    /// out, because renaming or linking the file changes it without changing the content.
    private struct Stamp: Equatable {
        let byteCount: Int64
        let modifiedSeconds: Int
        let modifiedNanoseconds: Int

        init(_ status: Stat) {
            self.byteCount = status.size
            self.modifiedSeconds = status.st_mtim.tv_sec
            self.modifiedNanoseconds = status.st_mtim.tv_nsec
        }
    }

    init(opening path: FilePath, fileName: String) throws(FirmwareError) {
        self.fileName = fileName
        self.descriptor = try Self.open(path, fileName: fileName)
        do {
            let status = try Self.status(of: descriptor, fileName: fileName)
            // The path may name another file by now, so check the open file again.
            try Self.requireRegular(status, fileName: fileName)
            self.stamp = Stamp(status)
            self.byteCount = try Self.checkedByteCount(status.size, fileName: fileName)
        } catch {
            // The deinit, which would close the descriptor, does not run if the initializer
            // throws.
            try? descriptor.close()
            throw error
        }
    }

    /// Takes over an open descriptor.
    init(taking number: CInt, fileName: String) throws(FirmwareError) {
        self.fileName = fileName
        descriptor = FileDescriptor(rawValue: number)
        do {
            let status = try Self.status(of: descriptor, fileName: fileName)
            stamp = Stamp(status)
            byteCount = try Self.checkedByteCount(status.size, fileName: fileName)
        } catch {
            try? descriptor.close()
            throw error
        }
    }

    deinit {
        // The file was only read, so an error from closing it does not matter.
        try? descriptor.close()
    }

    /// Fills `buffer` with the bytes from `offset` and makes sure that the file has not changed
    /// since it was opened.
    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FirmwareError) {
        var filledByteCount = 0
        while filledByteCount < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filledByteCount...])
            let readByteCount = try readOnce(at: offset + filledByteCount, into: rest)
            if readByteCount == 0 { break }
            filledByteCount += readByteCount
        }
        // Check after the read: if the file has not changed by now, the bytes are the original
        // ones.
        try requireUnchanged()
        if filledByteCount < buffer.count {
            throw changed("it ended after \(offset + filledByteCount) of \(byteCount) bytes")
        }
    }

    private func readOnce(
        at offset: Int,
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(FirmwareError) -> Int {
        do {
            return try descriptor.read(fromAbsoluteOffset: Int64(offset), into: buffer)
        } catch {
            throw FirmwareError.reading(fileName, Self.errno(error))
        }
    }

    private func requireUnchanged() throws(FirmwareError) {
        let now = Stamp(try Self.status(of: descriptor, fileName: fileName))
        if now == stamp { return }
        if now.byteCount == stamp.byteCount { throw changed("it was written to") }
        throw changed("it had \(stamp.byteCount) bytes and now has \(now.byteCount)")
    }

    private func changed(_ what: String) -> FirmwareError {
        FirmwareError(
            .changed,
            fileName: fileName,
            "\(fileName) changed while it was in use: \(what); wait until nothing writes to it, "
                + "then start again."
        )
    }
}

extension ImageFile {
    /// Checks the file type before opening the path, because opening a device can have side
    /// effects. Opens without blocking, because opening a pipe would wait for its other end.
    private static func open(
        _ path: FilePath,
        fileName: String
    ) throws(FirmwareError) -> FileDescriptor {
        do {
            try requireRegular(try path.stat(), fileName: fileName)
            return try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
        } catch let error as FirmwareError {
            throw error
        } catch {
            throw FirmwareError.opening(fileName, errno(error))
        }
    }

    private static func status(
        of descriptor: FileDescriptor,
        fileName: String
    ) throws(FirmwareError) -> Stat {
        do {
            return try descriptor.stat()
        } catch {
            throw FirmwareError.reading(fileName, error)
        }
    }

    private static func requireRegular(_ status: Stat, fileName: String) throws(FirmwareError) {
        let kind: String
        switch status.type {
        case .regular:
            return
        case .directory:
            throw FirmwareError(
                .isDirectory,
                fileName: fileName,
                "\(fileName) is a directory; choose the firmware file inside it."
            )
        case .fifo:
            kind = "pipe"
        case .socket:
            kind = "socket"
        default:
            kind = "device"
        }
        throw FirmwareError(
            .notRegularFile,
            fileName: fileName,
            "\(fileName) is a \(kind), but an image must be read more than once; save it to a "
                + "regular file and use that."
        )
    }

    private static func checkedByteCount(
        _ byteCount: Int64,
        fileName: String
    ) throws(FirmwareError) -> Int {
        try FirmwareFile.requireSupported(byteCount: UInt64(byteCount), fileName: fileName)
        return Int(byteCount)
    }

    /// The error of a failed system call. It is always an `Errno`, but the declarations in
    /// swift-system do not state the type.
    private static func errno(_ error: any Error) -> Errno {
        guard let errno = error as? Errno else { preconditionFailure("not an Errno: \(error)") }
        return errno
    }
}
