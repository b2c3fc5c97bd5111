import BLEOTA
import Glibc
import Synchronization
import SystemPackage

/// A file of trace lines, which `bleota decode` reads.
///
/// The file is created, or an older trace replaced, when the first line is written, so a command
/// that fails before it has a link changes nothing. From then on the file has its final name, so a
/// trace can be read while it grows, and survives if the process is killed.
final class TraceFile: Sendable {
    private struct State {
        var descriptor: FileDescriptor?
        var buffer: [UInt8] = []
        /// The first failure; nothing is written afterward.
        var failure: Errno?
    }

    /// About 100 frames per write, so that a trace slows a transfer down only a little.
    private static let bufferByteCountMax = 1 << 16

    private let path: FilePath
    private let state = Mutex(State())

    /// - Throws: a ``Failure`` with exit code 73 if no file can be created.
    init(_ output: OutputFile) throws(Failure) {
        path = output.path
        let directory = path.removingLastComponent()
        let status = (directory.isEmpty ? "." : directory).withPlatformString {
            faccessat(AT_FDCWD, $0, W_OK | X_OK, AT_EACCESS)
        }
        if status != 0 { throw Self.cannotCreate(path, Errno(rawValue: errno)) }
    }

    deinit { state.withLock { try? $0.descriptor?.close() } }

    /// Creates the file now, for a command that may wait a long time for its first link.
    func begin() throws(Failure) {
        let failure = state.withLock { state in
            begin(&state)
            return state.failure
        }
        if let failure { throw Self.cannotCreate(path, failure) }
    }

    private func begin(_ state: inout State) {
        guard state.descriptor == nil, state.failure == nil else { return }
        let new = Self.temporaryPath(for: path)
        do {
            state.descriptor = try .open(
                new,
                .writeOnly,
                options: [.create, .exclusiveCreate, .closeOnExec],
                permissions: [.ownerReadWrite, .groupRead, .otherRead]
            )
        } catch {
            state.failure = (error as? Errno) ?? .ioError
            return
        }
        state.failure = Self.rename(new, to: path)
        if state.failure != nil { _ = new.withPlatformString { unlink($0) } }
    }

    private static func temporaryPath(for path: FilePath) -> FilePath {
        let name = ".bleota-trace-\(UInt64.random(in: .min ... .max))"
        return path.removingLastComponent().appending(name)
    }

    private static func rename(_ old: FilePath, to new: FilePath) -> Errno? {
        let status = old.withPlatformString { old in
            new.withPlatformString { Glibc.rename(old, $0) }
        }
        return status == 0 ? nil : Errno(rawValue: errno)
    }

    private static func cannotCreate(_ path: FilePath, _ errno: Errno) -> Failure {
        Failure(
            .cannotCreate,
            "Can't create the trace \(path) (\(errno)); choose a file in a writable directory"
        )
    }

    func write(_ record: TraceRecord) { write(line: record.line) }

    /// Writes a comment, which `bleota decode` skips.
    func write(comment: String) { write(line: "# \(comment)") }

    private func write(line: String) {
        state.withLock { state in
            begin(&state)
            guard state.failure == nil else { return }
            state.buffer += line.utf8
            state.buffer.append(UInt8(ascii: "\n"))
            if state.buffer.count > Self.bufferByteCountMax { empty(&state) }
        }
    }

    func flush() { state.withLock { empty(&$0) } }

    /// Writes the remaining lines.
    ///
    /// - Throws: a ``Failure`` with exit code 74 if the file is incomplete.
    func end() throws(Failure) {
        let failure = state.withLock { state in
            empty(&state)
            return state.failure
        }
        guard let failure else { return }
        throw Failure(
            .inputOutput,
            "The trace \(path) is incomplete (\(failure)); make room on its disk, then run the "
                + "command again"
        )
    }

    /// Writes the buffer. A failure does not stop the transfer; the command fails at its end.
    private func empty(_ state: inout State) {
        guard state.failure == nil, !state.buffer.isEmpty else { return }
        do {
            try state.descriptor?.writeAll(state.buffer)
        } catch {
            state.failure = (error as? Errno) ?? .ioError
        }
        state.buffer.removeAll(keepingCapacity: true)
    }
}
