import Glibc
import Synchronization
import SystemPackage

/// The standard streams. Each text is written at once, so that a killed process loses nothing in a
/// buffer, and the reader of a pipe sees each event immediately.
enum Terminal {
    /// The first error on standard output. An otherwise successful command fails with it.
    private static let outputFailure = Mutex<Errno?>(nil)

    // MARK: - What it is

    static var isErrorInteractive: Bool { isatty(STDERR_FILENO) == 1 }

    static var isOutputInteractive: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether the cursor can be moved.
    static var hasCursor: Bool {
        guard let name = getenv("TERM").map({ String(cString: $0) }) else { return false }
        return !name.isEmpty && name != "dumb"
    }

    /// The height of standard output in lines; 24 if it is unknown.
    static var rowCount: Int { size(of: STDOUT_FILENO).map { Int($0.ws_row) } ?? 24 }

    /// The width of a stream in columns; 80 if it is unknown.
    static func columnCount(of descriptor: Int32) -> Int {
        size(of: descriptor).map { Int($0.ws_col) } ?? 80
    }

    private static func size(of descriptor: Int32) -> winsize? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0
        else { return nil }
        return size
    }

    // MARK: - Standard output

    /// Prints one line that may contain untrusted text.
    static func printLine(_ line: String) { printRaw(TerminalText.clean(line) + "\n") }

    /// Prints a string unchanged: JSON, or text that moves the cursor.
    static func printRaw(_ text: String) {
        let failure = write(text, to: STDOUT_FILENO)
        guard let failure else { return }
        outputFailure.withLock { $0 = $0 ?? failure }
    }

    /// - Throws: a ``Failure`` with exit code 74 if standard output is incomplete.
    ///
    /// If the reader has closed the pipe, SIGPIPE ends the process instead, as is usual.
    static func requireCompleteOutput() throws(Failure) {
        guard let failure = outputFailure.withLock({ $0 }) else { return }
        if failure == .brokenPipe { endByBrokenPipe() }
        throw Failure(
            .inputOutput,
            "Standard output can't be written to (\(failure)); run the command again with another "
                + "output"
        )
    }

    private static func endByBrokenPipe() {
        signal(SIGPIPE, SIG_DFL)
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(SIGPIPE)
    }

    // MARK: - Standard error

    /// Prints one line that may contain untrusted text.
    static func printErrorLine(_ line: String) { printRawError(TerminalText.clean(line) + "\n") }

    /// Prints a string unchanged. Errors on standard error can't be reported.
    static func printRawError(_ text: String) { _ = write(text, to: STDERR_FILENO) }

    private static func write(_ text: String, to descriptor: Int32) -> Errno? {
        var text = text
        return text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return count == 0 ? .ioError : Errno(rawValue: errno) }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
            return nil
        }
    }

    /// Makes sure that all three streams are open, so that no file opened later takes their
    /// numbers. Writing to an output that was closed still fails.
    static func reserveStandardStreams() {
        for (descriptor, flags) in [(0, O_WRONLY), (1, O_RDONLY), (2, O_RDONLY)] as [(Int32, Int32)]
        where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is the number of the closed stream.
            _ = open("/dev/null", flags)
        }
    }
}
