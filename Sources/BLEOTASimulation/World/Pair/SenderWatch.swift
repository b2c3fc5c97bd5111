import BLEOTACore

/// Checks a sender against the frames it has received, independently of its code.
struct SenderWatch {
    private struct EpochState {
        let header: PseudoHeader
        let object: ObjectID
        let epoch: Epoch
        var cumulative: UInt32
        var edge: UInt64
    }

    private var session = SessionNumber(0)
    private var epochs: [EpochState] = []

    /// Records a frame that is about to be delivered.
    mutating func hears(
        _ frame: ReceiverControl,
        session: SessionNumber,
        chunkSize: ChunkSize
    ) {
        begin(session)
        guard case .acknowledgement(let acknowledgement) = frame else { return }
        let cumulative = acknowledgement.cumulative(chunkSize: chunkSize)
        let place = epochs.lastIndex {
            $0.epoch == acknowledgement.epoch && $0.object == acknowledgement.object
        }
        guard let place else {
            epochs.append(
                EpochState(
                    header: PseudoHeader(
                        session: session,
                        object: acknowledgement.object,
                        epoch: acknowledgement.epoch
                    ),
                    object: acknowledgement.object,
                    epoch: acknowledgement.epoch,
                    cumulative: cumulative,
                    edge: Self.edge(acknowledgement, cumulative)
                )
            )
            return
        }
        epochs[place].cumulative = max(epochs[place].cumulative, cumulative)
        epochs[place].edge = max(epochs[place].edge, Self.edge(acknowledgement, cumulative))
    }

    /// Returns a description of an error in a chunk that the sender sends, or `nil`.
    mutating func objection(to chunk: SenderTransmission.Chunk, session: SessionNumber) -> String? {
        begin(session)
        guard let acknowledgement = epochs.last(where: { $0.header == chunk.header }) else {
            return "a data frame before the first ACK of its session and epoch"
        }
        if acknowledgement.object != chunk.object {
            return "a chunk of an object other than the object of its epoch"
        }
        if UInt64(chunk.index) >= acknowledgement.edge {
            return "chunk \(chunk.index) at or past the edge \(acknowledgement.edge)"
        }
        if chunk.index >= acknowledgement.cumulative,
            chunk.index - acknowledgement.cumulative >= 16_384
        {
            return "chunk \(chunk.index) too far past \(acknowledgement.cumulative)"
        }
        return nil
    }

    /// The cumulative acknowledgement of an object in its latest epoch; `nil` if there is none.
    func cumulative(of object: ObjectID) -> UInt32? {
        epochs.last(where: { $0.object == object })?.cumulative
    }

    /// The cumulative acknowledgement of an object in its latest epoch and the edge of its
    /// credit, which is `UInt64.max` if the credit is unlimited; `nil` if there is none.
    func acknowledgement(of object: ObjectID) -> (cumulative: UInt32, edge: UInt64)? {
        epochs.last { $0.object == object }.map { ($0.cumulative, $0.edge) }
    }

    private mutating func begin(_ session: SessionNumber) {
        guard session != self.session else { return }
        self.session = session
        epochs = []
    }

    private static func edge(_ acknowledgement: Acknowledgement, _ cumulative: UInt32) -> UInt64 {
        switch acknowledgement.credit {
        case .chunks(let count): UInt64(cumulative) + UInt64(count)
        case .unlimited: .max
        }
    }
}
