import Glibc
import Synchronization

/// A terminal for a process, of which the test has the other end.
final class Terminal: Sendable {
    struct Failure: Error {}

    /// The process's end.
    let path: String
    private let descriptor: Int32
    private let read = Mutex<[UInt8]>([])

    /// Linux's TIOCSPTLCK and TIOCGPTN, of which Swift's Glibc has no names, nor of the functions
    /// around them.
    private static let (setLock, getNumber) = (UInt(0x4004_5431), UInt(0x8004_5430))

    init(columns: UInt16, rows: UInt16) throws {
        descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK)
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        var (unlocked, number) = (Int32(0), UInt32(0))
        guard descriptor >= 0, ioctl(descriptor, Self.setLock, &unlocked) == 0,
            ioctl(descriptor, Self.getNumber, &number) == 0,
            ioctl(descriptor, UInt(TIOCSWINSZ), &size) == 0
        else { throw Failure() }
        path = "/dev/pts/\(number)"
    }

    deinit { close(descriptor) }

    /// Everything that was written to it.
    var text: String {
        read.withLock { bytes in
            var chunk = [UInt8](repeating: 0, count: 4_096)
            while true {
                let count = Glibc.read(descriptor, &chunk, chunk.count)
                guard count > 0 else { break }
                bytes += chunk[..<count]
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// What is to be seen: lines, of which later ones may have been written over earlier ones.
    var screen: [String] {
        var lines: [String] = []
        for part in text.replacing("\r\n", with: "\n").split(separator: "\u{1B}[J") {
            // What moves the cursor stands at the end of the part before.
            let move = part.firstRange(of: "\u{1B}[")
            let written = part[..<(move?.lowerBound ?? part.endIndex)]
            lines += written.split(separator: "\n").map(String.init)
            guard let move else { continue }
            let count = Int(part[move.upperBound...].prefix { $0.isNumber }) ?? 0
            lines.removeLast(min(count, lines.count))
        }
        return lines
    }
}
