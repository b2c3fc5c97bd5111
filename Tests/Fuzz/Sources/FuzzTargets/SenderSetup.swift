import BLEOTACore
import BLEOTAWire

/// What a sender is made with, from the first bytes of an input.
struct SenderSetup {
    let options: SenderOptions
    let ringChunkCount: Int
    let frameByteCountMax: Int
    let transfer: TransferDescription
    let session: SessionNumber

    init(_ input: inout FuzzInput) {
        var options = SenderOptions()
        options.window = Self.window(&input)
        options.isLinkOrdered = input.flag()
        self.options = options
        ringChunkCount = 16 << input.choice(11)
        frameByteCountMax = 16 + Int(input.uint16() % 500)
        let manifestByteCount = UInt32(66 + input.magnitude(bitCountMax: 25))
        transfer = TransferDescription(
            tag: TransferTag(rawValue: 0x0123_4567_89AB_CDEF),
            manifestByteCount: min(
                manifestByteCount,
                SenderControl.Open.manifestByteCounts.upperBound
            ),
            imageByteCount: UInt32(max(input.magnitude(bitCountMax: 32), 1)),
            digestPrefix: Self.digestPrefix
        )
        session = SessionNumber(input.uint16())
    }

    /// Of one byte, so that an input finds it.
    static var digestPrefix: UInt64 { 0x5A }

    private static func window(_ input: inout FuzzInput) -> WindowPolicy {
        let kind = input.choice(4)
        let chunkCount = 1 + Int(input.uint16()) % WindowPolicy.chunkCountMax
        switch kind {
        case 0: return .automatic
        case 1: return .fixed(chunkCount: chunkCount)
        case 2: return .burst(chunkCount: chunkCount, pause: .untilAcknowledged)
        default:
            let pauses: [Microseconds] = [
                .zero, .milliseconds(1), .milliseconds(100), .seconds(10),
            ]
            return .burst(chunkCount: chunkCount, pause: .time(pauses[input.choice(4)]))
        }
    }

    func byteCount(of object: ObjectID) -> UInt32 {
        object == .manifest ? transfer.manifestByteCount : transfer.imageByteCount
    }

    /// The most datagrams a sender may want to send before something happens: its window, or the
    /// burst of towards a receiver that does not pace, or all echo probes; a chunk again, and a
    /// poll.
    var drainCountMax: Int {
        switch options.window {
        case .automatic: WindowPolicy.chunkCountMax + 2
        case .fixed(let chunkCount), .burst(let chunkCount, _): max(chunkCount, 12) + 2
        }
    }

    /// Whether bursts may follow one another at the same moment.
    var mayBurstWithoutPause: Bool { options.window.isWithoutPause }
}

extension WindowPolicy {
    fileprivate var isWithoutPause: Bool {
        if case .burst(_, .time(.zero)) = self { true } else { false }
    }
}
