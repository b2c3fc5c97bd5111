import BLEOTATransportTesting
import Testing

@testable import BLEOTA

/// The kit for authors of transports: ours keep the contract, and mistakes are found.
@Suite(.timeLimit(.minutes(4)))
struct TransportKitTests {
    private static func options(_ kind: LinkKind) -> TransportConformance.Options {
        var options = TransportConformance.Options()
        options.flushProvesArrival = LinkKind.answering.contains(kind)
        options.waitLimit = .seconds(20)
        return options
    }

    @Test("Each kind of link keeps the contract", arguments: LinkKind.allCases)
    func contract(_ kind: LinkKind) async {
        let conformance = TransportConformance(options: Self.options(kind)) {
            try await kind.makePair()
        }
        #expect(await conformance.violations() == [])
    }

    @Test(
        "Each kind of link keeps the rules about sizes with every ATT_MTU",
        arguments: LinkKind.ofATTMTU,
        [23, 247, 517]
    )
    func sizes(_ kind: LinkKind, _ attMTU: Int) async throws {
        let (a, b) = try await kind.makePair(attMTU: attMTU)
        #expect(a.limits == TransportLimits(attMTU: attMTU))
        #expect(b.limits == a.limits)
        let conformance = TransportConformance(options: Self.options(kind)) {
            try await kind.makePair(attMTU: attMTU)
        }
        #expect(await conformance.violations(of: [.sizes, .refusals]) == [])
    }

    @Test("A transport on an AsyncStream keeps the contract with a DatagramQueue")
    func stream() async {
        var options = TransportConformance.Options()
        options.flushProvesArrival = false
        let conformance = TransportConformance(options: options) { StreamTransport.makePair() }
        #expect(await conformance.violations() == [])
    }

    @Test("A mistake is found, and the rule that it breaks is named", arguments: Mistake.allCases)
    func mistakes(_ mistake: Mistake) async {
        var options = TransportConformance.Options()
        options.waitLimit = .milliseconds(700)
        options.transferLimit = .seconds(4)
        let conformance = TransportConformance(options: options) {
            MistakenTransport.makePair(mistake)
        }
        let violations = await conformance.violations(of: mistake.rules)
        #expect(violations.map(\.rule) == mistake.rules, "\(violations)")
        for violation in violations {
            #expect(violation.description.hasPrefix("\(violation.rule): "))
            #expect(violation.sentence.count < 400)
        }
    }

    @Test("The sentence about a stream that ends names what to use instead")
    func advice() async throws {
        let conformance = TransportConformance {
            MistakenTransport.makePair(.receivesFromStream)
        }
        let violation = try #require(await conformance.violations(of: [.cancelledReceive]).first)
        #expect(violation.sentence.contains("DatagramQueue"))
    }

    @Test("A pair that can't be made is a violation of every rule")
    func noPair() async {
        struct NoLink: Error {}
        let conformance = TransportConformance { throw NoLink() }
        let violations = await conformance.violations(of: [.sizes, .flush])
        #expect(violations.map(\.rule) == [.sizes, .flush])
        #expect(violations.first?.sentence.contains("NoLink") == true)
    }
}
