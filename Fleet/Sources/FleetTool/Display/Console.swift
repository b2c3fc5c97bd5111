import Glibc
import Synchronization

/// The standard streams, without a buffer: a line is out when the call returns.
enum Console {
    /// Why a line could not be written; the first of several.
    private static let problem = Mutex<Int32?>(nil)

    /// Prints a line.
    static func print(_ line: String) {
        if let error = write(line, to: STDOUT_FILENO) { problem.withLock { $0 = $0 ?? error } }
    }

    static func printError(_ line: String) { _ = write(line, to: STDERR_FILENO) }

    /// - Throws: if a part of the output is lost.
    static func requireCompleteOutput() throws(ToolFailure) {
        guard let error = problem.withLock({ $0 }) else { return }
        throw ToolFailure(
            .inputOutput,
            "the output is incomplete: \(String(cString: strerror(error)))"
        )
    }

    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// The columns of the terminal, 40 at least; `nil` if the output is none.
    static var width: Int? {
        var size = winsize()
        guard isTerminal else { return nil }
        let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return isKnown ? max(40, Int(size.ws_col)) : 80
    }

    private static func write(_ line: String, to descriptor: Int32) -> Int32? {
        var rest = Array((line + "\n").utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno != EINTR { return errno }
            rest = rest.dropFirst(max(0, count))
        }
        return nil
    }
}
