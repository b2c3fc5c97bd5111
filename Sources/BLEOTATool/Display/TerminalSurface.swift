import Glibc

/// An output on which lines are drawn.
struct TerminalSurface: Sendable {
    /// The current width.
    let columnCount: @Sendable () -> Int
    let write: @Sendable (String) -> Void

    static let standardOutput = TerminalSurface(
        columnCount: { Terminal.columnCount(of: STDOUT_FILENO) },
        write: { Terminal.printRaw($0) }
    )

    static let standardError = TerminalSurface(
        columnCount: { Terminal.columnCount(of: STDERR_FILENO) },
        write: { Terminal.printRawError($0) }
    )
}
