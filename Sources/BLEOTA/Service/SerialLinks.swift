import Synchronization
import SystemPackage

/// Links over a serial line, one after the other: when one has ended, such as by unplugging, the
/// line is opened again.
package final class SerialLinks: LinkSource {
    private struct State {
        /// Opened, and not given out yet.
        var first: SerialTransport?
        /// The last one that was given out.
        var last: SerialTransport?
    }

    /// Between two attempts to open a line that is not there. Nothing tells this process of a
    /// device that is plugged in, and a person does not feel half a second.
    private static let pause = Duration.milliseconds(500)

    private let address: SerialAddress
    private let attMTU: Int
    private let onChange: @Sendable (LineChange) -> Void
    private let state: Mutex<State>

    /// Opens the line, which has to be there at first.
    ///
    /// - Parameter onChange: called when the line is gone, and when it is there again.
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

    /// A line has no connections: it is up whether anybody uses it or not.
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
        // There is one line, and so one link at a time.
        await state.withLock { state in state.last }?.awaitEnd()
        let link = try await reopened()
        state.withLock { state in state.last = link }
        return link
    }

    /// Waits until the line can be opened again.
    private func reopened() async throws(TransferError) -> SerialTransport {
        var isFirst = true
        while true {
            // Also before the first attempt: a line may open and be of no use, for ever.
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

/// What a receiver at a serial line notices of the line.
package enum LineChange: Sendable {
    /// It can't be opened at present.
    case gone(SerialError)
    /// It is there again.
    case opened
}
