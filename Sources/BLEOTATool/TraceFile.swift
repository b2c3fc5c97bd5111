import BLEOTA
import Synchronization
import SystemPackage

/// A file of trace lines, which `bleota decode` reads.
final class TraceFile: Sendable {
    private let descriptor: FileDescriptor
    private let buffer = Mutex<[UInt8]>([])

    init(path: String) throws(Failure) {
        do {
            descriptor = try .open(
                FilePath(path),
                .writeOnly,
                options: [.create, .truncate],
                permissions: .ownerReadWrite.union(.groupRead).union(.otherRead)
            )
        } catch {
            throw Failure(
                .cannotCreate,
                "Can't create the trace \(path) (\(error)); name another file."
            )
        }
    }

    deinit {
        flush()
        try? descriptor.close()
    }

    func write(_ record: TraceRecord) { write(line: record.line) }

    /// Writes what `bleota decode` passes over.
    func write(comment: String) { write(line: "# \(comment)") }

    private func write(line: String) {
        buffer.withLock { buffer in
            buffer += line.utf8
            buffer.append(UInt8(ascii: "\n"))
            if buffer.count > 1 << 16 { Self.empty(&buffer, into: descriptor) }
        }
    }

    func flush() { buffer.withLock { Self.empty(&$0, into: descriptor) } }

    private static func empty(_ buffer: inout [UInt8], into descriptor: FileDescriptor) {
        // A trace that can't be written must not stop a transfer.
        _ = try? descriptor.writeAll(buffer)
        buffer.removeAll(keepingCapacity: true)
    }
}
