import Glibc

/// Writes whole lines and pieces of lines to the standard streams at once, so that nothing is lost
/// in a buffer when the process is killed, and a reader of a pipe sees each event as it happens.
enum Terminal {
    static var isErrorInteractive: Bool { isatty(STDERR_FILENO) == 1 }

    static var isOutputInteractive: Bool { isatty(STDOUT_FILENO) == 1 }

    /// The height of the terminal in lines; 24 where it can't be asked.
    static var rowCount: Int {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else {
            return 24
        }
        return Int(size.ws_row)
    }

    static func printText(_ text: String) { write(text, to: STDOUT_FILENO) }

    /// The width of the terminal in columns; 80 where it can't be asked.
    static var columnCount: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return 80
        }
        return Int(size.ws_col)
    }

    static func printLine(_ line: String) { write(line + "\n", to: STDOUT_FILENO) }

    static func printError(_ text: String) { write(text, to: STDERR_FILENO) }

    private static func write(_ text: String, to descriptor: Int32) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                // Nobody reads any more; what is transferred matters, not who watches.
                guard count > 0 else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }
}
