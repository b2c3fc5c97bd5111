import BLEOTA
import Synchronization

extension RuleCheck {
    /// Sends datagrams to a peer that receives none.
    private final class Flood: Sendable {
        /// Four times the capacity of a ``DatagramQueue``.
        static let countMax = 16_384

        let probe: Probe<TransportError?>
        private let count: Counter

        private final class Counter: Sendable {
            let value = Mutex(0)
        }

        init(over end: any Transport) {
            let count = Counter()
            self.count = count
            probe = Probe(throwing: { () throws(TransportError) in
                for number in 0..<Self.countMax {
                    let datagram = numbered(number)
                    try await end.send(datagram.bytes, on: .data, .withoutResponse)
                    count.value.withLock { $0 += 1 }
                }
            })
        }

        var sentCount: Int { count.value.withLock { $0 } }

        /// Waits until no more datagrams are sent.
        ///
        /// - Returns: the outcome of sending; `nil` if it is suspended.
        func end() async -> TransportError?? {
            var last = -1
            while last != sentCount {
                last = sentCount
                if let error = await probe.value(within: .milliseconds(100)) { return .some(error) }
            }
            return nil
        }
    }

    func backPressure() async throws(Finding) {
        if options.isLossy { return }
        let flood = Flood(over: near)
        switch await flood.end() {
        case .some(nil):
            throw Finding(
                "send() accepted \(Flood.countMax) datagrams without suspending, although the peer "
                    + "read none."
            )
        case .some(let error?):
            // A link may end if its peer's buffer is full.
            guard near.closeReason == nil else { return }
            throw Finding("send() threw \(error) on an open link whose peer read nothing.")
        case nil: break
        }
        flood.probe.cancel()
        guard let error = await flood.probe.value(within: limit) else {
            throw Finding(
                "send() was suspended, and did not end within \(limit) after its task was "
                    + "cancelled."
            )
        }
        guard error == .cancelled else {
            throw Finding(
                "send() was suspended when its task was cancelled: \(Self.outcome(error))."
            )
        }
        let count = flood.sentCount
        let collector = Collector(far)
        let last = Self.numbered(1_000_000)
        try await exchange(last, "A datagram after a cancelled send()", with: collector)
        let expected = (0..<count).map { Self.numbered($0) }
        // If a send() is cancelled, its datagram may or may not have been sent.
        let arrived = collector.datagrams.filter { $0 != last && $0 != Self.numbered(count) }
        guard near.limits.isOrdered ? arrived == expected : Set(arrived) == Set(expected) else {
            throw Finding(
                "\(count) datagrams were sent before a send() was cancelled, but \(arrived.count) "
                    + "arrived."
            )
        }
    }

    private static func outcome(_ error: TransportError?) -> String {
        error.map { "it threw \($0), but must throw cancelled" }
            ?? "it returned, but must throw cancelled"
    }

    func closeEndsSend() async throws(Finding) {
        if options.isLossy { return }
        let flood = Flood(over: near)
        guard await flood.end() == nil else { return }
        near.close(.local)
        guard let error = await flood.probe.value(within: limit) else {
            throw Finding("send() was suspended, and close() did not end it within \(limit).")
        }
        guard error == .closed(.local) else {
            let happened = error.map { "threw \($0)" } ?? "returned"
            throw Finding("send() \(happened) after close(), but must throw closed(local).")
        }
    }

    func cancelledReceive() async throws(Finding) {
        var arrived: [Datagram] = []
        let rounds = 40
        for round in 0..<rounds {
            let wait = Probe { [far] in await Self.received(at: far) }
            // Some calls are cancelled immediately, some while they wait, and some while a
            // datagram arrives.
            if round.isMultiple(of: 2) { await pause(.milliseconds(2)) }
            if round.isMultiple(of: 4) { try await send([Self.numbered(round)]) }
            wait.cancel()
            switch await wait.value(within: limit) {
            case .success(let datagrams): arrived += datagrams
            case .failure(.cancelled): break
            case .failure(let error):
                throw Finding(
                    "receive() threw \(error) when its task was cancelled. \(Self.advice)"
                )
            case nil:
                throw Finding("receive() did not end within \(limit) after its task was cancelled.")
            }
            if !round.isMultiple(of: 4) { try await send([Self.numbered(round)]) }
        }
        if options.isLossy {
            return try await exchange(Self.numbered(rounds), "A datagram after cancelled waits")
        }
        let collector = Collector(far)
        guard await collector.datagrams(atLeast: rounds - arrived.count, within: limit) != nil
        else {
            throw Finding(
                "\(rounds) datagrams were sent between cancelled waits; \(arrived.count) were "
                    + "received by those waits. Afterward, \(collector.shortage). \(Self.advice)"
            )
        }
        arrived += collector.datagrams
        let sent = (0..<rounds).map { Self.numbered($0) }
        guard far.limits.isOrdered ? arrived == sent : Set(arrived) == Set(sent) else {
            throw Finding("Datagrams between cancelled waits arrived out of order.")
        }
    }

    private static let advice =
        "A cancelled wait must neither end the link nor lose data: an AsyncStream ends with the "
        + "task that waits for it, but a DatagramQueue does not."

    private static func received(at end: any Transport) async -> Result<[Datagram], TransportError>
    {
        do throws(TransportError) {
            return .success(try await end.receive())
        } catch {
            return .failure(error)
        }
    }

    func cancelledTask() async throws(Finding) {
        try await expect(.cancelled, of: "send() in a cancelled task") {
            [near] () throws(TransportError) in
            withUnsafeCurrentTask { $0?.cancel() }
            try await near.send(Self.numbered(1).bytes, on: .data, .withoutResponse)
        }
        try await expect(.cancelled, of: "flush() in a cancelled task") {
            [near] () throws(TransportError) in
            withUnsafeCurrentTask { $0?.cancel() }
            try await near.flush()
        }
        try await expect(.cancelled, of: "receive() in a cancelled task") {
            [far] () throws(TransportError) in
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await far.receive()
        }
        let collector = Collector(far)
        try await exchange(Self.numbered(2), "A datagram after a cancelled task", with: collector)
        if collector.datagrams.contains(Self.numbered(1)) {
            throw Finding("A send() in a cancelled task sent its datagram.")
        }
    }
}
