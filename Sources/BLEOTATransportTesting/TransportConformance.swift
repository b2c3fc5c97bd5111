public import BLEOTA

/// Checks that a ``Transport`` of one's own keeps the contract in that protocol's documentation.
///
/// ```swift
/// @Test func contract() async {
///     let conformance = TransportConformance { try await Pipe.makePair() }
///     #expect(await conformance.violations() == [])
/// }
/// ```
///
/// Any test framework will do: the answer is a list of sentences. Each rule gets a new link, first
/// in one direction and then in the other, and closes it at its end. Nothing hangs: a wait that
/// does not end is a violation, which says what was waited for. A run over a link in memory takes
/// about two seconds.
///
/// A transport that passes holds what has arrived in a ``DatagramQueue``. One that is built on an
/// `AsyncStream` has one task that reads the stream for as long as the link lives, and so no wait
/// of a transfer ends the stream:
///
/// ```swift
/// reader = Task { [inbound] in
///     for await datagram in stream where !inbound.put([datagram]) { break }
///     inbound.end(.remote)
/// }
/// ```
public struct TransportConformance: Sendable {
    /// Makes both ends of a new link.
    public typealias MakePair = @Sendable () async throws -> (any Transport, any Transport)

    /// What a link can't do, and how long it may take. What is switched off is not checked.
    ///
    /// ```swift
    /// var options = TransportConformance.Options()
    /// options.isLossy = true
    /// options.flushProvesArrival = false
    /// let conformance = TransportConformance(options: options) { UDPTransport.makePair() }
    /// ```
    public struct Options: Sendable {
        /// Whether datagrams may be lost or repeated, with response too, as over UDP. Default: no.
        /// Such a link needs no window either. Whether they may overtake each other is said by
        /// ``TransportLimits/isOrdered``.
        public var isLossy = false
        /// Whether ``Transport/flush()`` waits until what was sent is at the peer. Default: yes. A
        /// serial line has nobody who could say so.
        public var flushProvesArrival = true
        /// Whether an end that closes takes the other end with it. Default: yes. Over UDP it does
        /// if the transport has a message for that.
        public var closeReachesPeer = true
        /// How long one wait may take. Default: 10 s. Longer for a radio.
        public var waitLimit: Duration = .seconds(10)
        /// How long each of the two transfers may take, of 48 KiB. Default: 60 s.
        public var transferLimit: Duration = .seconds(60)

        /// The defaults: a link that loses nothing.
        public init() {}
    }

    private let options: Options
    private let makePair: MakePair

    /// - Parameters:
    ///   - options: what the link can't do.
    ///   - makePair: called twice for each rule.
    public init(options: Options = Options(), makePair: @escaping MakePair) {
        self.options = options
        self.makePair = makePair
    }

    /// Checks all rules, or some of them; empty if the transport keeps them.
    public func violations(
        of rules: [TransportRule] = TransportRule.allCases
    ) async -> [TransportViolation] {
        var violations: [TransportViolation] = []
        for rule in rules {
            for sender in RuleCheck.Sender.allCases {
                guard let finding = await finding(of: rule, sender) else { continue }
                let sentence = "\(finding.sentence) (\(sender.rawValue) end sends)"
                violations.append(TransportViolation(rule: rule, sentence: sentence))
                // The other direction would mostly say the same again.
                break
            }
        }
        return violations
    }

    private func finding(of rule: TransportRule, _ sender: RuleCheck.Sender) async -> Finding? {
        let pair = Probe { [makePair] in await Self.result(of: makePair) }
        let ends: (any Transport, any Transport)
        switch await pair.value(within: options.waitLimit) {
        case .success(let made): ends = sender == .first ? made : (made.1, made.0)
        case .failure(let finding): return finding
        case nil: return Finding("No link was made in time.")
        }
        defer {
            ends.0.close(.local)
            ends.1.close(.local)
        }
        let check = RuleCheck(near: ends.0, far: ends.1, options: options)
        do throws(Finding) {
            try await check.run(rule)
            return nil
        } catch {
            return error
        }
    }

    private static func result(
        of makePair: MakePair
    ) async -> Result<(any Transport, any Transport), Finding> {
        do {
            return .success(try await makePair())
        } catch {
            return .failure(Finding("No link can be made: \(error)."))
        }
    }
}
