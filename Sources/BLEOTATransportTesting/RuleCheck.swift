import BLEOTA

/// Checks rules on a link whose near end sends to its far end.
struct RuleCheck: Sendable {
    /// The end of the pair that acts as the near end.
    enum Sender: String, CaseIterable { case first, second }

    let near: any Transport
    let far: any Transport
    let options: TransportConformance.Options

    func run(_ rule: TransportRule) async throws(Finding) {
        switch rule {
        case .delivery: try await delivery()
        case .sizes: try await sizes()
        case .refusals: try await refusals()
        case .batches: try await batches()
        case .backPressure: try await backPressure()
        case .flush: try await flush()
        case .cancelledReceive: try await cancelledReceive()
        case .cancelledTask: try await cancelledTask()
        case .closeEndsReceive: try await closeEndsReceive()
        case .closeEndsSend: try await closeEndsSend()
        case .reason: try await reason()
        case .arrivedBeforeClose: try await arrivedBeforeClose()
        case .transfers: try await transfers()
        }
    }

    /// The time limit for each wait.
    var limit: Duration { options.waitLimit }

    // MARK: - Helpers for the rules

    /// Creates a datagram that contains its number.
    static func numbered(
        _ number: Int,
        byteCount: Int = 18,
        on channel: Datagram.Channel = .data
    ) -> Datagram {
        var bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: number &* 31), count: byteCount)
        for index in 0..<min(4, byteCount) {
            bytes[index] = UInt8(truncatingIfNeeded: number >> (8 * index))
        }
        return Datagram(channel: channel, bytes: bytes)
    }

    /// Returns the error that an action throws, if any. The action must finish within the limit.
    func error(
        of name: String,
        _ action: @escaping @Sendable () async throws(TransportError) -> Void
    ) async throws(Finding) -> TransportError? {
        let probe = Probe(throwing: action)
        if let error = await probe.value(within: limit) { return error }
        probe.cancel()
        throw Finding("\(name) did not return within \(limit).")
    }

    /// Expects an action to finish within the limit with this error, or without one if `nil`.
    func expect(
        _ expected: TransportError?,
        of name: String,
        _ action: @escaping @Sendable () async throws(TransportError) -> Void
    ) async throws(Finding) {
        let error = try await error(of: name, action)
        guard error != expected else { return }
        let happened = error.map { "threw \($0)" } ?? "returned"
        let wanted = expected.map { "throw \($0)" } ?? "return"
        throw Finding("\(name) \(happened), but must \(wanted).")
    }

    /// Sends datagrams from the near end.
    func send(_ datagrams: [Datagram]) async throws(Finding) {
        try await expect(nil, of: "send()") { [near] () throws(TransportError) in
            for datagram in datagrams {
                try await near.send(datagram.bytes, on: datagram.channel, .withoutResponse)
            }
        }
    }

    /// Sends a datagram and waits for its arrival; on a lossy link, sends it repeatedly.
    ///
    /// - Parameter what: a description of the datagram, for the beginning of a finding's message.
    func exchange(
        _ datagram: Datagram,
        _ what: String,
        with collector: Collector? = nil
    ) async throws(Finding) {
        let collector = collector ?? Collector(far)
        let deadline = ContinuousClock.now + limit
        repeat {
            try await send([datagram])
            let wait = options.isLossy ? .milliseconds(100) : limit
            let arrival = await polled(within: wait) {
                collector.datagrams.contains(datagram) ? true : nil
            }
            if arrival != nil { return }
        } while options.isLossy && ContinuousClock.now < deadline
        throw Finding("\(what) (\(datagram)) did not arrive: \(collector.shortage).")
    }

    /// Waits until all sent datagrams have arrived, as far as the link can report it.
    func settle(_ end: any Transport) async throws(Finding) {
        let flush = Probe(throwing: { () throws(TransportError) in try await end.flush() })
        // A link in memory waits here until the peer has received all datagrams.
        if await flush.value(within: .milliseconds(300)) == nil {
            flush.cancel()
            guard await flush.value(within: limit) != nil else {
                throw Finding("flush() did not end within \(limit) after its task was cancelled.")
            }
        }
        if !options.flushProvesArrival { await pause(.milliseconds(300)) }
    }
}
