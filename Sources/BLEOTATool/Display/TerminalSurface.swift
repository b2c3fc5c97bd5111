import Glibc

/// Where lines are drawn.
struct TerminalSurface: Sendable {
    /// How wide it is now.
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
