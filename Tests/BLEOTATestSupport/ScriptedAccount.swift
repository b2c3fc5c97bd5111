import BLEOTA
import BLEOTAWire

/// What a ``ScriptedReceiver`` has heard so far of a link that loses nothing.
struct ScriptedAccount {
    private let imageByteCount: Int
    private(set) var session = SessionNumber.none
    private(set) var object = ObjectID.manifest
    private(set) var epoch = Epoch(0)
    private(set) var stage = ScriptedReceiver.Stage.opening
    private var chunkSize = ChunkSize.smallest
    private var manifestByteCount = 0
    private var cumulative: UInt32 = 0

    init(imageByteCount: Int) { self.imageByteCount = imageByteCount }

    /// Takes a datagram in, and returns the control frame that it is.
    mutating func take(_ datagram: Datagram) -> SenderControl? {
        let bytes = datagram.bytes.span.bytes
        if datagram.channel == .data {
            if let frame = try? DataFrame(decoding: bytes) { take(frame, bytes) }
            return nil
        }
        guard let frame = try? SenderControl(decoding: bytes) else { return nil }
        if case .open(let open) = frame, open.session != session {
            self = ScriptedAccount(imageByteCount: imageByteCount)
            session = open.session
            chunkSize = open.chunkSize
            manifestByteCount = Int(open.manifestByteCount)
        }
        return frame
    }

    private mutating func take(_ frame: DataFrame, _ bytes: RawSpan) {
        let header = PseudoHeader(session: session, object: object, epoch: epoch)
        guard let index = frame.chunkIndex(near: cumulative), index == cumulative,
            DataFrame.isIntact(bytes, chunkIndex: index, header: header)
        else { return }
        cumulative += 1
        stage = object == .manifest ? .manifest : .image
        guard cumulative == chunkCount else { return }
        if object == .manifest {
            object = .image
            epoch = epoch.next
            cumulative = 0
        } else {
            stage = .verifying
        }
    }

    private var byteCount: Int { object == .manifest ? manifestByteCount : imageByteCount }

    private var chunkCount: UInt32 {
        UInt32((byteCount + chunkSize.byteCount - 1) / chunkSize.byteCount)
    }

    /// The account as it is, with everything acknowledged durable.
    func acknowledgement(credit: Int) -> Acknowledgement {
        Acknowledgement(
            answersPoll: true,
            object: object,
            epoch: epoch,
            truncatedCumulative: UInt16(truncatingIfNeeded: cumulative),
            credit: Credit(clamping: credit),
            durableByteCount: UInt32(min(Int(cumulative) * chunkSize.byteCount, byteCount))
        )
    }
}
