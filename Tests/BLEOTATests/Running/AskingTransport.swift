import BLEOTACore
import BLEOTAWire
import Synchronization

@testable import BLEOTA

/// A link on which every tenth datagram that is sent is followed by a question outside of sessions.
final class AskingTransport: WindowedTransport {
    private let base: any Transport
    private let state = Mutex((sent: 0, answers: [ReceiverControl]()))
    private let question: SenderControl

    /// - Parameter question: a QUERY or a CHALLENGE.
    init(_ base: any Transport, asking question: SenderControl) {
        self.base = base
        self.question = question
    }

    var answers: [ReceiverControl] { state.withLock { $0.answers } }
    var limits: TransportLimits { base.limits }
    var closeReason: CloseReason? { base.closeReason }

    func send(
        _ datagram: [UInt8],
        on channel: Datagram.Channel,
        _ delivery: Datagram.Delivery
    ) async throws(TransportError) {
        try await base.send(datagram, on: channel, delivery)
        let isDue = state.withLock { state in
            state.sent += 1
            return state.sent % 10 == 0
        }
        guard isDue else { return }
        try await base.send(question.bytes, on: .control, .withoutResponse)
    }

    func receive() async throws(TransportError) -> [Datagram] {
        let arrived = try await base.receive()
        return arrived.filter { datagram in
            let bytes = datagram.bytes.span.bytes
            guard datagram.channel == .control,
                let frame = try? ReceiverControl(decoding: bytes, session: question.session)
            else { return true }
            switch frame {
            case .status, .proof: state.withLock { $0.answers.append(frame) }
            default: return true
            }
            return false
        }
    }

    func flush() async throws(TransportError) { try await base.flush() }
    func acknowledged(byteCount: Int) {
        (base as? any WindowedTransport)?.acknowledged(byteCount: byteCount)
    }
    func close(_ reason: CloseReason) { base.close(reason) }
}
