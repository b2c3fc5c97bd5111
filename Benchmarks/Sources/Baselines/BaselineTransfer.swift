package import BLEOTACore
package import BLEOTASimulation

/// One transfer by a modelled protocol of others, over the same modelled radio as
/// ``RadioTransfer``: from the sender's first frame to its knowledge that the image is whole. The
/// same values give the same result on every machine.
///
/// ```swift
/// var transfer = BaselineTransfer(.smp8)
/// transfer.radio.valueLoss = 0.01
/// print(transfer.run()?.goodputBytesPerSecond ?? 0)
/// ```
package struct BaselineTransfer: Sendable {
    /// After an abort somebody has to notice it and to start again: this many connection intervals
    /// from the abort, or from the last thing that the sender did where it waits in vain.
    package static let restartIntervalCount = 100

    /// The protocol.
    package var baseline: Baseline
    /// The link. Frames take up to ATT_MTU - 3 bytes of it, and never more than 244.
    package var radio = RadioSettings()
    /// How long the image is, at least 1 byte.
    package var imageByteCount = 1 << 19
    /// What the losses are drawn from.
    package var seed: UInt64 = 1
    /// The virtual time after which a transfer counts as one that never ends; an hour, as of
    /// ``RadioTransfer``.
    package var timeMax = Microseconds.seconds(3_600)

    /// 512 KiB over the default radio.
    package init(_ baseline: Baseline) { self.baseline = baseline }

    /// Runs it. The receiver is one that stores whatever comes, and takes no time for it.
    ///
    /// - Returns: `nil` if the image was not whole in ``timeMax``, or before the link was lost.
    package func run() -> BaselineReport? {
        precondition(imageByteCount > 0, "an image has at least one byte")
        let setup = BaselineSetup(radio, imageByteCount: imageByteCount)
        switch baseline {
        case .rawStream: return run(OpenLoop.Sender(setup, nil), OpenLoop.Receiver(setup))
        case .fieldRule:
            return run(OpenLoop.Sender(setup, .fieldRule), OpenLoop.Receiver(setup))
        case .legacyDFU: return run(LegacyDFU.Sender(setup), LegacyDFU.Receiver(setup))
        case .secureDFUReceipts:
            return run(SecureDFU.Sender(setup, receiptPacketCount: 12), SecureDFU.Receiver())
        case .secureDFU:
            return run(SecureDFU.Sender(setup, receiptPacketCount: 0), SecureDFU.Receiver())
        case .smp1: return run(SMP.Sender(setup, windowRequestCount: 1), SMP.Receiver())
        case .smp3: return run(SMP.Sender(setup, windowRequestCount: 3), SMP.Receiver())
        case .smp8: return run(SMP.Sender(setup, windowRequestCount: 8), SMP.Receiver())
        case .espSectors: return run(ESPSectors.Sender(setup), ESPSectors.Receiver(setup))
        case .pwTransfer: return run(PigweedTransfer.Sender(setup), PigweedTransfer.Receiver(setup))
        }
    }

    private func run<Sender: BaselineSender, Receiver: BaselineReceiver>(
        _ sender: Sender,
        _ receiver: Receiver
    ) -> BaselineReport? where Sender.Frame == Receiver.Frame {
        var pair = BaselinePair(sender, receiver, radio, seed: seed)
        guard pair.run(until: Instant(microseconds: timeMax.rawValue)) else { return nil }
        precondition(
            pair.receiver.image.isWhole(imageByteCount),
            "a sender took an image for whole that is not"
        )
        return BaselineReport(
            duration: pair.now - Instant(microseconds: 0),
            imageByteCount: imageByteCount,
            dataFrameCount: pair.dataFrameCount,
            restartCount: pair.sender.counts.restartCount,
            timeoutCount: pair.sender.counts.timeoutCount
        )
    }
}
