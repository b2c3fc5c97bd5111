package import BLEOTA
import Synchronization
import SystemPackage

/// Serves the client at the other end of a serial line. When the line is lost, for example because
/// its adapter was unplugged, it is opened again.
package final class LineListener: SMPLinkSource {
    private struct State {
        /// The link that the initializer opened, until it is handed out.
        var first: LineLink?
        /// The link that was handed out last.
        var last: LineLink?
    }

    /// The pause between attempts to open an absent line.
    private static let pause = Duration.milliseconds(500)

    private let address: SerialAddress
    private let framing: LineLink.Framing
    private let onChange: @Sendable (LineChange) -> Void
    private let state: Mutex<State>

    /// Opens the line, which must be present at the start.
    ///
    /// - Parameter onChange: called when the line is gone, and when it has been opened again.
    package init(
        _ address: SerialAddress,
        framing: LineLink.Framing,
        onChange: @escaping @Sendable (LineChange) -> Void
    ) throws(TransferError) {
        self.address = address
        self.framing = framing
        self.onChange = onChange
        do throws(SerialError) {
            state = Mutex(State(first: try .open(address, framing: framing)))
        } catch {
            throw TransferError(.serial(error))
        }
    }

    package var place: String { address.path.string }

    package func next() async throws(TransferError) -> SMPGuest {
        SMPGuest(try await nextLink(), name: place, carriesWholeMessages: true)
    }

    private func nextLink() async throws(TransferError) -> LineLink {
        let first = state.withLock { state in
            let first = state.first.take()
            state.last = first ?? state.last
            return first
        }
        if let first { return first }
        // One line can carry only one link at a time.
        await state.withLock { state in state.last }?.awaitEnd()
        let link = try await reopened()
        state.withLock { state in state.last = link }
        return link
    }

    /// Waits until the line can be opened again.
    private func reopened() async throws(TransferError) -> LineLink {
        var isFirst = true
        while true {
            // Wait even before the first attempt, because the line may open each time and fail at
            // once.
            try? await Task.sleep(for: Self.pause)
            if Task.isCancelled { throw TransferError(.cancelled) }
            do throws(SerialError) {
                let link = try LineLink.open(address, framing: framing)
                onChange(.opened)
                return link
            } catch {
                if isFirst { onChange(.gone(error)) }
                isFirst = false
            }
        }
    }

    package func end() {
        state.withLock { state in
            state.first?.close(.local)
            state.last?.close(.local)
        }
    }
}
