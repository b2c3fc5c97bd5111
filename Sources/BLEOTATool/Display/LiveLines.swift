import Dispatch
import Glibc
import Synchronization

/// Lines at the bottom of the terminal that are updated in place.
///
/// After each drawing the cursor is at the beginning of the first line. When a terminal gets
/// narrower, it may wrap or truncate existing lines, but in both cases the cursor stays there.
/// Everything from there to the end of the screen is then drawn again. Lines are always shorter
/// than the width of the terminal. Wrapping is off while lines are drawn, because the terminal may
/// get narrower before the process is informed.
final class LiveLines: Sendable {
    private struct State {
        var lines: [@Sendable (_ columnCountMax: Int) -> String] = []
        var isDrawn = false
        var resizing: (any DispatchSourceSignal)?
    }

    private static let eraseToEndOfLine = "\u{1B}[K"
    private static let wrappingOff = "\u{1B}[?7l"
    private static let wrappingOn = "\u{1B}[?7h"
    private static let eraseToEndOfScreen = "\u{1B}[J"

    private let surface: TerminalSurface
    private let state = Mutex(State())

    init(on surface: TerminalSurface = .standardError) { self.surface = surface }

    /// Replaces the lines.
    ///
    /// - Parameter lines: closures that return the text of a line, given its width in columns.
    func show(_ lines: [@Sendable (_ columnCountMax: Int) -> String]) {
        state.withLock { state in
            state.lines = lines
            if state.resizing == nil { state.resizing = followSize() }
            draw(&state)
        }
    }

    /// Prints a permanent line above the live lines.
    func printAbove(_ text: String) {
        state.withLock { state in
            let erased = state.isDrawn ? "\r" + Self.eraseToEndOfScreen : ""
            surface.write(erased + TerminalText.clean(text) + "\n")
            guard state.isDrawn else { return }
            draw(&state)
        }
    }

    /// Removes the lines.
    func remove() {
        state.withLock { state in
            if state.isDrawn { surface.write("\r" + Self.eraseToEndOfScreen) }
            Self.forget(&state)
        }
    }

    /// Leaves the lines in place; later output begins below them.
    func keep() {
        state.withLock { state in
            if state.isDrawn {
                surface.write(String(repeating: "\n", count: state.lines.count))
            }
            Self.forget(&state)
        }
    }

    private static func forget(_ state: inout State) {
        state.isDrawn = false
        state.lines = []
        state.resizing?.cancel()
        state.resizing = nil
    }

    private func draw(_ state: inout State) {
        let columnCountMax = max(surface.columnCount() - 1, 1)
        let text = state.lines.map { line in
            TerminalText.fitted(line(columnCountMax), columnCountMax: columnCountMax)
        }
        var output = Self.wrappingOff + "\r" + text.joined(separator: Self.eraseToEndOfLine + "\n")
        output += Self.eraseToEndOfScreen
        if text.count > 1 { output += "\u{1B}[\(text.count - 1)A" }
        surface.write(output + "\r" + Self.wrappingOn)
        state.isDrawn = true
    }

    /// Draws the lines again when the terminal's size changes, because they might not be drawn for
    /// a long time otherwise.
    private func followSize() -> any DispatchSourceSignal {
        let source = DispatchSource.makeSignalSource(signal: SIGWINCH)
        source.setEventHandler { [weak self] in
            self?.state.withLock { state in
                if state.isDrawn { self?.draw(&state) }
            }
        }
        source.resume()
        return source
    }
}
