import BLEOTA
import Synchronization
import SystemPackage

/// Links over a serial line, one after the other: when one has ended, such as by unplugging, the
/// line is opened again.
final class SerialLinks: LinkSource {
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
    private let reporter: Reporter
    private let state: Mutex<State>

    /// Opens the line, which has to be there at first.
    init(_ address: SerialAddress, attMTU: Int, _ reporter: Reporter) throws(Failure) {
        self.address = address
        self.attMTU = attMTU
        self.reporter = reporter
        do throws(SerialError) {
            state = Mutex(State(first: try .open(address, attMTU: attMTU)))
        } catch {
            throw Failure(error)
        }
        reporter.event(JSONLine(event: "listening").adding("path", address.path.string))
        reporter.note("listening on \(address.path)")
    }

    /// A line has no connections: it is up whether anybody uses it or not.
    var limits: ServiceLimits {
        var limits = ServiceLimits()
        limits.idleLimit = nil
        return limits
    }

    func next() async throws -> Guest {
        Guest(try await nextLink(), name: address.path.string)
    }

    private func nextLink() async throws -> SerialTransport {
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
    private func reopened() async throws -> SerialTransport {
        let isFirst = FirstTime()
        while true {
            // Also before the first attempt: a line may open and be of no use, for ever.
            try? await Task.sleep(for: Self.pause)
            if Task.isCancelled { throw TransferError(.cancelled) }
            do throws(SerialError) {
                let link = try SerialTransport.open(address, attMTU: attMTU)
                reporter.note("listening     again on \(address.path)")
                return link
            } catch {
                if isFirst.take() { reporter.note("waiting       \(error)") }
            }
        }
    }

    func end() {
        state.withLock { state in
            state.first?.close(.local)
            state.last?.close(.local)
        }
    }
}
