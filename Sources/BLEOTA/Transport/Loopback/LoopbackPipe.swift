/// One direction of a loopback link: the datagrams that one end has sent and the other has not
/// taken.
///
/// The receiving end always takes everything. Each take therefore opens the transmit windows of
/// both channels, completes the sends with response, and ends every flush.
final class LoopbackPipe: Sendable {
    enum Admission: Sendable {
        /// The datagram is in the pipe. Its ticket is for ``awaitTaking(of:)``.
        case admitted(ticket: UInt64)
        /// The queue overflowed. The caller must close the link.
        case overflow
    }

    private struct State {
        var arrived: [Datagram] = []
        var controlCount = 0
        var dataCount = 0
        /// Counters since the link was created; at 64 bits, they never overflow.
        var sentCount: UInt64 = 0
        var takenCount: UInt64 = 0
        var ending: Ending?

        mutating func append(_ datagram: Datagram) {
            arrived.append(datagram)
            sentCount += 1
            switch datagram.channel {
            case .control: controlCount += 1
            case .data: dataCount += 1
            }
        }

        func untakenCount(on channel: Datagram.Channel) -> Int {
            channel == .control ? controlCount : dataCount
        }

        mutating func takeAll() -> [Datagram] {
            // The next batch is likely to be as long as this one, so reserve memory for it in one
            // allocation.
            var taken: [Datagram] = []
            taken.reserveCapacity(arrived.count)
            swap(&taken, &arrived)
            controlCount = 0
            dataCount = 0
            takenCount = sentCount
            return taken
        }
    }

    private struct Ending {
        let sender: CloseReason
        let receiver: TransportError
    }

    private let transmitWindow: Int
    private let inboundLimit: Int
    private let state = Monitor(State())

    init(transmitWindow: Int, inboundLimit: Int) {
        self.transmitWindow = transmitWindow
        self.inboundLimit = inboundLimit
    }

    /// Puts a datagram in at once, or returns `nil` if the transmit window of its channel is full.
    func putNow(_ datagram: Datagram) throws(TransportError) -> Admission? {
        try state.attempt(thenWaking: .receiver) { state throws(TransportError) -> Admission? in
            try admit(datagram, &state)
        }
    }

    /// Waits for room in the transmit window of the datagram's channel, then puts the datagram in.
    func put(_ datagram: Datagram) async throws(TransportError) -> Admission {
        let admission = try await state.wait(as: .sender, thenWaking: .receiver) {
            state throws(TransportError) -> Admission? in
            try admit(datagram, &state)
        }
        guard let admission else { throw .cancelled }
        return admission
    }

    private func admit(
        _ datagram: Datagram,
        _ state: inout State
    ) throws(TransportError) -> Admission? {
        if let ending = state.ending { throw .closed(ending.sender) }
        if state.untakenCount(on: datagram.channel) >= transmitWindow { return nil }
        if state.arrived.count >= inboundLimit { return .overflow }
        state.append(datagram)
        return .admitted(ticket: state.sentCount)
    }

    /// Waits until the datagram with this ticket has been taken.
    func awaitTaking(of ticket: UInt64) async throws(TransportError) {
        let answer: Void? = try await state.wait(as: .sender) {
            state throws(TransportError) -> Void? in
            if state.takenCount >= ticket { return () }
            if let ending = state.ending { throw .closed(ending.sender) }
            return nil
        }
        if answer == nil { throw .cancelled }
    }

    /// Waits until everything that was put in so far has been taken.
    func drain() async throws(TransportError) {
        let (sentCount, ending) = state.read { state in (state.sentCount, state.ending) }
        if let ending { throw .closed(ending.sender) }
        try await awaitTaking(of: sentCount)
    }

    /// Waits for datagrams, and takes all of them.
    func take() async throws(TransportError) -> [Datagram] {
        let taken = try await state.wait(as: .receiver, thenWaking: .sender) {
            state throws(TransportError) -> [Datagram]? in
            if !state.arrived.isEmpty { return state.takeAll() }
            if let ending = state.ending { throw ending.receiver }
            return nil
        }
        guard let taken else { throw .cancelled }
        return taken
    }

    /// Ends this direction. Datagrams in the pipe can still be taken.
    func end(sender: CloseReason, receiver: TransportError) {
        state.update(waking: .both) { state in
            state.ending = state.ending ?? Ending(sender: sender, receiver: receiver)
        }
    }

    /// The error that the receiving end throws after this pipe overflowed.
    var overflowError: TransportError { .inboundOverflow(limit: inboundLimit) }
}
