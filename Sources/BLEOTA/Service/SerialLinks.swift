import Synchronization
import SystemPackage

/// Links over a serial line, one after another. When a link ends, for example because the device
/// was unplugged, the line is opened again.
package final class SerialLinks: LinkSource {
    private struct State {
        /// The link that the initializer opened, until it is handed out.
        var first: SerialTransport?
        /// The link that was handed out last.
        var last: SerialTransport?
    }

    /// The pause between attempts to open an absent line. The process isn't notified when a device
    /// is plugged in, and a person hardly notices half a second.
    private static let pause = Duration.milliseconds(500)

    private let address: SerialAddress
    private let attMTU: Int
    private let onChange: @Sendable (LineChange) -> Void
    private let state: Mutex<State>

    /// Opens the line, which must be present at the start.
    ///
    /// - Parameter onChange: called when the line is gone, and when it has been opened again.
    package init(
        _ address: SerialAddress,
        attMTU: Int,
        onChange: @escaping @Sendable (LineChange) -> Void
    ) throws(TransferError) {
        self.address = address
        self.attMTU = attMTU
        self.onChange = onChange
        do throws(SerialError) {
            state = Mutex(State(first: try .open(address, attMTU: attMTU)))
        } catch {
            throw TransferError(.serial(error))
        }
    }

    package var place: String { address.path.string }

    /// No idle limit: a serial line has no connections, so it stays up even if nobody uses it.
    package var limits: ServiceLimits {
        var limits = ServiceLimits()
        limits.idleLimit = nil
        return limits
    }

    package func next() async throws(TransferError) -> Guest {
        Guest(try await nextLink(), name: place)
    }

    private func nextLink() async throws(TransferError) -> SerialTransport {
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
    private func reopened() async throws(TransferError) -> SerialTransport {
        var isFirst = true
        while true {
            // Wait even before the first attempt, because the line may open each time and fail at
            // once.
            try? await Task.sleep(for: Self.pause)
            if Task.isCancelled { throw TransferError(.cancelled) }
            do throws(SerialError) {
                let link = try SerialTransport.open(address, attMTU: attMTU)
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

/// A change in the state of a serial line.
package enum LineChange: Sendable {
    /// The line can't be opened at present.
    case gone(SerialError)
    /// The line has been opened again.
    case opened
}
