import BLEOTACore

@testable import BLEOTASimulation

/// A receiver that answers for ever, and with which a transfer gets nowhere.
struct EndlessReceiver {
    enum Kind: String, CaseIterable, Sendable {
        /// Asks for the manifest and for the image by turns, each time in a new epoch.
        case alternatesObjects
        /// Begins a new epoch of the image each time.
        case renewsEpochs
        /// Acknowledges a chunk, and takes it back in a new epoch.
        case takesBack
        /// Grants more credit each time, then begins anew with none.
        case changesCredit
        /// Says that something is durable, and then that nothing is.
        case forgetsDurable
        /// Accepts OPEN, and does not know the session at the next question.
        case forgetsSession
        /// Answers echo probes, and gets no chunk.
        case answersEchoes
        /// Gets no chunk, and leaves the pace to the sender.
        case leavesPace
        /// Has all of the image, and never a RESULT.
        case neverConcludes
        case isBusy
        /// Is busy, and begins a new epoch now and then.
        case isBusyBetweenEpochs
    }

    let kind: Kind
    private var epoch: UInt8 = 0
    private var count = 0

    init(_ kind: Kind) { self.kind = kind }

    /// Whether it may go on for as long as one that is busy or gets again what it lost.
    var hasLongerLimit: Bool {
        switch kind {
        case .takesBack, .isBusy, .isBusyBetweenEpochs: true
        default: false
        }
    }

    /// What it says when it is asked something, or now and then.
    mutating func frames(after transmission: SenderTransmission?) -> [ReceiverControl] {
        count += 1
        switch kind {
        case .alternatesObjects:
            epoch &+= 1
            return [acknowledgement(object: count % 2 == 0 ? .manifest : .image)]
        case .renewsEpochs:
            epoch &+= 1
            return [acknowledgement()]
        case .takesBack:
            if count % 2 == 0 { epoch &+= 1 }
            return [acknowledgement(cumulative: count % 2 == 0 ? 0 : 1)]
        case .changesCredit:
            if count % 20 == 0 { epoch &+= 1 }
            return [acknowledgement(credit: .chunks(UInt16(count % 20)))]
        case .forgetsDurable:
            epoch &+= 1
            return [acknowledgement(cumulative: 20, durable: count % 2 == 0 ? 10 : 0)]
        case .forgetsSession: return forgotten(transmission)
        case .answersEchoes: return echoed(transmission)
        case .leavesPace: return [acknowledgement(credit: .unlimited)]
        case .neverConcludes: return [acknowledgement(cumulative: 417, durable: 100_000)]
        case .isBusy: return [busy]
        case .isBusyBetweenEpochs:
            if count % 10 != 0 { return [busy] }
            epoch &+= 1
            return [acknowledgement()]
        }
    }

    private func forgotten(_ transmission: SenderTransmission?) -> [ReceiverControl] {
        guard case .control(.open)? = transmission else {
            return [.result(.init(reason: .noSession))]
        }
        return [acknowledgement()]
    }

    private func echoed(_ transmission: SenderTransmission?) -> [ReceiverControl] {
        guard case .echo(let token, let byteCount)? = transmission else {
            return [acknowledgement()]
        }
        return [.echoReply(.init(token: token, byteCount: UInt16(byteCount)))]
    }

    private var busy: ReceiverControl {
        .busy(
            .init(phase: .writing, object: .image, epoch: Epoch(epoch), millisecondsLeft: .max)
        )
    }

    private func acknowledgement(
        object: ObjectID = .image,
        cumulative: UInt16 = 0,
        credit: Credit = .chunks(100),
        durable: UInt32 = 0
    ) -> ReceiverControl {
        .acknowledgement(
            Acknowledgement(
                answersPoll: true,
                object: object,
                epoch: Epoch(epoch),
                truncatedCumulative: cumulative,
                credit: credit,
                durableByteCount: durable
            )
        )
    }
}
