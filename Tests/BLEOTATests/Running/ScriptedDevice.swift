import BLEOTACore
import BLEOTATestSupport
import BLEOTAWire
import Synchronization

@testable import BLEOTA

/// A device that goes through a list of answers, one for each question, and then repeats the last.
final class ScriptedDevice: Connector {
    enum Step: Sendable {
        case say(RunningState, [UInt8])
        case hangUp
        /// Hears the question, and does not know it.
        case ignore
        /// Does not even take what arrives.
        case sleep
    }

    private let steps: Mutex<[Step]>
    /// An end that is dropped closes its link.
    private let sleeping = Mutex<[any Transport]>([])

    init(_ steps: [Step]) { self.steps = Mutex(steps) }

    func connect() async throws(TransferError) -> any Transport {
        let (near, far) = loopback()
        let isAsleep = steps.withLock { steps in
            if case .sleep = steps[0] { true } else { false }
        }
        if isAsleep {
            sleeping.withLock { $0.append(far) }
        } else {
            Task { await answer(over: far) }
        }
        return near
    }

    private func answer(over link: any Transport) async {
        while let arrived = try? await link.receive() {
            for datagram in arrived {
                let bytes = datagram.bytes.span.bytes
                guard case .query(let query)? = try? SenderControl(decoding: bytes) else {
                    continue
                }
                switch next() {
                case .hangUp: return link.close(.local)
                case .ignore, .sleep: continue
                case .say(let state, let sha256):
                    let status = RunningImage(state, sha256: sha256).status
                    let frame = ReceiverControl.status(status).bytes(session: query.session)
                    try? await link.send(frame, on: .control, .withoutResponse)
                }
            }
        }
    }

    private func next() -> Step {
        steps.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
    }
}
