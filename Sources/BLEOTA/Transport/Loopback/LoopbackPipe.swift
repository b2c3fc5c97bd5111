/// One direction of a loopback link: what one end sent and the other has not yet taken.
///
/// The taker always takes everything, so a take opens the transmit window of both channels,
/// answers what was sent with response, and ends every flush.
final class LoopbackPipe: Sendable {
    enum Admission: Sendable {
        /// In the pipe; the ticket tells when it was taken.
        case admitted(ticket: UInt64)
        /// The queue ran over: the caller closes the link.
        case overflow
    }

    private struct State {
        var arrived: [Datagram] = []
        var controlCount = 0
        var dataCount = 0
        /// Datagrams since the link was made; 64 bits never wrap.
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
            // The next batch is likely as long as this one: one allocation instead of several.
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

    /// Puts the datagram in at once, or returns `nil` while the transmit window of its channel
    /// is full.
    func putNow(_ datagram: Datagram) throws(TransportError) -> Admission? {
        try state.attempt(thenWaking: .receiver) { state throws(TransportError) -> Admission? in
            try admit(datagram, &state)
        }
    }

    /// Waits for room in the transmit window of the datagram's channel and puts it in.
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

    /// Waits until the datagram with this ticket was taken.
    func awaitTaking(of ticket: UInt64) async throws(TransportError) {
        let answer: Void? = try await state.wait(as: .sender) {
            state throws(TransportError) -> Void? in
            if state.takenCount >= ticket { return () }
            if let ending = state.ending { throw .closed(ending.sender) }
            return nil
        }
        if answer == nil { throw .cancelled }
    }

    /// Waits until everything that was put in so far was taken.
    func drain() async throws(TransportError) {
        let (sentCount, ending) = state.read { state in (state.sentCount, state.ending) }
        if let ending { throw .closed(ending.sender) }
        try await awaitTaking(of: sentCount)
    }

    /// Waits for datagrams and takes all of them.
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

    /// Ends this direction. What is in the pipe can still be taken.
    func end(sender: CloseReason, receiver: TransportError) {
        state.update(waking: .both) { state in
            state.ending = state.ending ?? Ending(sender: sender, receiver: receiver)
        }
    }

    /// What the receiving end throws when this pipe ran over.
    var overflowError: TransportError { .inboundOverflow(limit: inboundLimit) }
}
