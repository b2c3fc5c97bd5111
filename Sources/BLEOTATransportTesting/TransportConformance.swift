public import BLEOTA

/// Checks that a custom ``/BLEOTA/Transport`` fulfills the contract in that protocol's
/// documentation.
///
/// ```swift
/// @Test func contract() async {
///     let conformance = TransportConformance { try await Pipe.makePair() }
///     #expect(await conformance.violations() == [])
/// }
/// ```
///
/// Any test framework can be used, because the result is a list of sentences. Each rule is
/// checked on a new link, first in one direction and then in the other, and the links are closed
/// afterward. No check hangs: a wait that does not end is a violation, which names the call. A run
/// over a link in memory takes about two seconds.
///
/// The simplest way to pass is to hold received datagrams in a ``/BLEOTA/DatagramQueue``. A
/// transport on top of an `AsyncStream` needs one task that reads the stream during the whole
/// lifetime of the link, so that cancelling a transfer's wait never ends the stream. A stream has
/// no limit, so the transport also needs a transmit window: ``/BLEOTA/Transport/send(_:on:_:)``
/// must suspend while too many datagrams wait at the peer.
///
/// ```swift
/// reader = Task { [inbound] in
///     for await datagram in stream where !inbound.put([datagram]) { break }
///     inbound.end(.remote)
/// }
/// ```
public struct TransportConformance: Sendable {
    /// Creates both ends of a new link.
    public typealias MakePair = @Sendable () async throws -> (any Transport, any Transport)

    /// The limitations and time limits of a link. A rule that the link can't fulfill is not
    /// checked: set ``isLossy``, or clear ``flushProvesArrival`` or ``closeReachesPeer``.
    ///
    /// ```swift
    /// var options = TransportConformance.Options()
    /// options.isLossy = true
    /// options.flushProvesArrival = false
    /// let conformance = TransportConformance(options: options) { UDPTransport.makePair() }
    /// ```
    public struct Options: Sendable {
        /// Whether datagrams may be lost or duplicated, even with response, as over UDP; such a
        /// link needs no transmit window either. Default: `false`.
        /// ``/BLEOTA/TransportLimits/isOrdered`` specifies whether datagrams may be reordered.
        public var isLossy = false
        /// Whether ``/BLEOTA/Transport/flush()`` waits until everything sent has arrived at the
        /// peer. Default: `true`. A serial line, for example, cannot do this, because nothing
        /// confirms arrival.
        public var flushProvesArrival = true
        /// Whether closing one end also ends the other. Default: `true`. Over UDP, this requires
        /// that the transport sends a message when it closes.
        public var closeReachesPeer = true
        /// The time limit for each wait. Default: 10 s. Use more for a radio.
        public var waitLimit: Duration = .seconds(10)
        /// The time limit for each of the two transfers of 48 KiB. Default: 60 s.
        public var transferLimit: Duration = .seconds(60)

        /// Creates the default options, for a link without losses.
        public init() {}
    }

    private let options: Options
    private let makePair: MakePair

    /// Creates a check of a transport.
    ///
    /// - Parameters:
    ///   - options: the limitations of the link.
    ///   - makePair: creates both ends of a new link; called up to twice for each rule.
    public init(options: Options = Options(), makePair: @escaping MakePair) {
        self.options = options
        self.makePair = makePair
    }

    /// Checks the given rules, by default all, and returns the violations; the array is empty if
    /// there are none.
    public func violations(
        of rules: [TransportRule] = TransportRule.allCases
    ) async -> [TransportViolation] {
        var violations: [TransportViolation] = []
        for rule in rules {
            for sender in RuleCheck.Sender.allCases {
                guard let finding = await finding(of: rule, sender) else { continue }
                let sentence = "\(finding.sentence) (\(sender.rawValue) end sends)"
                violations.append(TransportViolation(rule: rule, sentence: sentence))
                // The other direction would usually show the same violation.
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
            return .failure(Finding("The link can't be made: \(error)."))
        }
    }
}
