import BLEOTACore

/// Holds a sender to what it was told: built from the frames delivered to it, apart from its code.
struct SenderWatch {
    private struct Account {
        let header: PseudoHeader
        let object: ObjectID
        let epoch: Epoch
        var cumulative: UInt32
        var edge: UInt64
    }

    private var session = SessionNumber(0)
    private var accounts: [Account] = []

    /// A frame is about to be delivered.
    mutating func hears(
        _ frame: ReceiverControl,
        session: SessionNumber,
        chunkSize: ChunkSize
    ) {
        begin(session)
        guard case .acknowledgement(let account) = frame else { return }
        let cumulative = account.cumulative(chunkSize: chunkSize)
        let place = accounts.lastIndex {
            $0.epoch == account.epoch && $0.object == account.object
        }
        guard let place else {
            accounts.append(
                Account(
                    header: PseudoHeader(
                        session: session,
                        object: account.object,
                        epoch: account.epoch
                    ),
                    object: account.object,
                    epoch: account.epoch,
                    cumulative: cumulative,
                    edge: Self.edge(account, cumulative)
                )
            )
            return
        }
        accounts[place].cumulative = max(accounts[place].cumulative, cumulative)
        accounts[place].edge = max(accounts[place].edge, Self.edge(account, cumulative))
    }

    /// What is wrong with a chunk that the sender sends, if anything.
    mutating func objection(to chunk: SenderTransmission.Chunk, session: SessionNumber) -> String? {
        begin(session)
        guard let account = accounts.last(where: { $0.header == chunk.header }) else {
            return "a data frame before the first ACK of its session and epoch"
        }
        if account.object != chunk.object { return "a chunk of another object than its epoch's" }
        if UInt64(chunk.index) >= account.edge {
            return "chunk \(chunk.index) at or past the edge \(account.edge)"
        }
        if chunk.index >= account.cumulative, chunk.index - account.cumulative >= 16_384 {
            return "chunk \(chunk.index) too far past \(account.cumulative)"
        }
        return nil
    }

    /// How many chunks of the present account the sender has sent that are not acknowledged.
    func cumulative(of object: ObjectID) -> UInt32? {
        accounts.last(where: { $0.object == object })?.cumulative
    }

    /// Up to which chunk all is acknowledged in the present account, and at which one credit ends;
    /// `UInt64.max` where it has no end.
    func account(of object: ObjectID) -> (cumulative: UInt32, edge: UInt64)? {
        accounts.last { $0.object == object }.map { ($0.cumulative, $0.edge) }
    }

    private mutating func begin(_ session: SessionNumber) {
        guard session != self.session else { return }
        self.session = session
        accounts = []
    }

    private static func edge(_ account: Acknowledgement, _ cumulative: UInt32) -> UInt64 {
        switch account.credit {
        case .chunks(let count): UInt64(cumulative) + UInt64(count)
        case .unlimited: .max
        }
    }
}
