import BLEOTAWire
import Testing

@testable import BLEOTAManifest

/// The questions of section 4.4, all answers to all of them.
@Suite("Acceptance, enumerated")
struct AcceptanceOrderTests {
    //= ACCEPT-1
    //= ACCEPT-2
    //= ACCEPT-3
    //= ACCEPT-4
    //= ACCEPT-5
    //= ACCEPT-6
    //= ACCEPT-9
    @Test("The first question with a wrong answer refuses, whatever the others are")
    func everyCombination() {
        var reasons: [Reason?: Int] = [:]
        for number in 0..<(1 << 10) {
            for signing in PolicyProbe.Signing.allCases {
                let probe = probe(number, signing)
                let expected = expectedReason(probe)
                #expect(probe.refusal?.reason == expected, "\(probe)")
                reasons[expected, default: 0] += 1
            }
        }
        #expect(reasons.count == 9)
    }

    private func probe(_ number: Int, _ signing: PolicyProbe.Signing) -> PolicyProbe {
        func bit(_ index: Int) -> Bool { number >> index & 1 == 1 }
        var probe = PolicyProbe()
        probe.signing = signing
        probe.takesUnsigned = bit(0)
        probe.isHardwareKnown = bit(1)
        probe.isHardwareRight = bit(2)
        probe.statesHardware = bit(3)
        probe.statesComponent = bit(4)
        probe.isComponentRight = bit(5)
        probe.counter = bit(6) ? 7 : nil
        probe.counterMin = bit(7) ? 7 : 0
        probe.secondsSince1970 = bit(8) ? 101 : 100
        probe.statesEncoding = bit(9)
        return probe
    }

    /// The text of the section once more, in other words.
    private func expectedReason(_ probe: PolicyProbe) -> Reason? {
        switch probe.signing {
        case .forger: return .badSignature
        case .nobody where !probe.takesUnsigned: return .unsigned
        case .stranger where !probe.takesUnsigned: return .untrustedKey
        default: break
        }
        if probe.statesHardware, !probe.isHardwareRight { return .wrongHardware }
        if !probe.statesHardware, probe.isHardwareKnown, probe.isTrusted {
            return .wrongHardware
        }
        if probe.statesComponent, !probe.isComponentRight { return .wrongComponent }
        if probe.counterMin > probe.counter ?? 0 { return .downgrade }
        if probe.secondsSince1970 == 101 { return .expired }
        // A device decodes nothing unless it says that it does.
        return probe.statesEncoding ? .unsupportedEncoding : nil
    }

    @Test("A refusal has the detail that its sender needs")
    func details() {
        var probe = PolicyProbe()
        #expect(probe.refusal == nil)
        probe.counterMin = 8
        #expect(probe.refusal == ManifestRefusal(.downgrade, detail: 8))
        probe.counterMin = 0
        probe.secondsSince1970 = 101
        #expect(probe.refusal == ManifestRefusal(.expired, detail: 100))
        probe.secondsSince1970 = nil
        #expect(probe.refusal == nil)
        probe.signing = .stranger
        #expect(probe.refusal == ManifestRefusal(.untrustedKey))
    }

    @Test("A device that says nothing of itself takes what nobody signed and nobody restricted")
    func defaults() {
        struct Mute: AcceptanceRules { var takesUnsigned: Bool { true } }
        var probe = PolicyProbe()
        probe.signing = .nobody
        (probe.statesHardware, probe.statesComponent) = (false, false)
        let free = probe.bytes
        probe.statesHardware = true
        let bound = probe.bytes
        for (bytes, reason) in [(free, nil), (bound, Reason.wrongHardware)] {
            let fields = try! ManifestFields(parsing: bytes.span.bytes)
            #expect(fields.refusal(in: bytes.span.bytes, by: Mute())?.reason == reason)
        }
    }
}
