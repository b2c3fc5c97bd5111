import Dispatch
import Glibc
import Synchronization

/// Lines at the bottom of the terminal that change in place.
///
/// After each drawing the cursor stands at the beginning of the first of them. A terminal that gets
/// narrower may wrap a line that is there already or cut it off, and in both cases the cursor stays
/// at that beginning: from there to the end of the screen everything is drawn anew. No line is as
/// long as the terminal is wide; and since the terminal may have become narrower a moment before
/// the process hears of it, wrapping is off while lines are drawn.
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

    /// Shows these lines in place of the ones before.
    ///
    /// - Parameter lines: each says what it is in a number of columns.
    func show(_ lines: [@Sendable (_ columnCountMax: Int) -> String]) {
        state.withLock { state in
            state.lines = lines
            if state.resizing == nil { state.resizing = followSize() }
            draw(&state)
        }
    }

    /// Writes a line that stays above them.
    func printAbove(_ text: String) {
        state.withLock { state in
            let erased = state.isDrawn ? "\r" + Self.eraseToEndOfScreen : ""
            surface.write(erased + TerminalText.clean(text) + "\n")
            guard state.isDrawn else { return }
            draw(&state)
        }
    }

    /// Takes them away.
    func remove() {
        state.withLock { state in
            if state.isDrawn { surface.write("\r" + Self.eraseToEndOfScreen) }
            Self.forget(&state)
        }
    }

    /// Leaves them as they are; what follows begins below.
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

    /// A line may stand for a long time before it changes again.
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
