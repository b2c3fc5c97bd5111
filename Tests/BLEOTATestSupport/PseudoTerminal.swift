import Foundation
import Glibc
import Synchronization

/// A terminal of 80 columns, and what was written to it.
package final class PseudoTerminal: Sendable {
    /// The end that a process takes for its terminal.
    package let user: Int32
    private let seen = SeenBytes()
    private let ended = AsyncStream.makeStream(of: Never.self)
    private let isClosed = Mutex(false)

    /// `TIOCSPTLCK` and `TIOCGPTN`, which are too complex macros to be imported.
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430

    package init() throws {
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var isLocked: Int32 = 0
        var number: UInt32 = 0
        try Self.require(ioctl(master, Self.setLock, &isLocked))
        try Self.require(ioctl(master, Self.getNumber, &number))
        let user = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        try Self.require(min(user, 0))
        var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
        try Self.require(ioctl(user, UInt(TIOCSWINSZ), &size))
        self.user = user
        // Not a source of Dispatch: for one in some hundred terminals, it does not tell that the
        // last writer has closed it.
        Thread.detachNewThread { [seen, ended] in
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while true {
                let count = read(master, &buffer, buffer.count)
                guard count > 0 || (count < 0 && errno == EINTR) else { break }
                seen.bytes.withLock { $0 += buffer[..<max(count, 0)] }
            }
            Glibc.close(master)
            ended.continuation.finish()
        }
    }

    deinit { close() }

    /// What was written so far.
    package var text: String { String(decoding: seen.bytes.withLock(\.self), as: UTF8.self) }

    /// What was written, after the last process has ended that writes.
    package func end() async -> String {
        close()
        for await _ in ended.stream {}
        return text
    }

    /// Closes this process's copy of ``user``, once.
    private func close() {
        isClosed.withLock { isClosed in
            if !isClosed { Glibc.close(user) }
            isClosed = true
        }
    }

    private static func require(_ status: Int32) throws {
        guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }
}

private final class SeenBytes: Sendable {
    let bytes = Mutex<[UInt8]>([])
}
