import BLEOTAWire
import Testing

@Suite("Small values")
struct SmallValueTests {
    @Test("The session after the last number is zero")
    func nextSession() {
        #expect(SessionNumber(0x1234).next == SessionNumber(0x1235))
        #expect(SessionNumber(0xFFFF).next == SessionNumber(0))
        #expect(SessionNumber.none == SessionNumber(0))
    }

    @Test(
        "A reason nobody knows is kept as it came",
        arguments: [0x0503, 0x7777, 0xFFFF] as [UInt16]
    )
    func unknownReason(number: UInt16) {
        let close = SenderControl.close(
            .init(session: Sample.session, reason: Reason(rawValue: number))
        )
        #expect(Wire.fromSender(Wire.bytes(of: close)) == .success(close))
        #expect(Reason(rawValue: number).rawValue == number)
    }

    @Test("No two reasons have the same number, and each is in a known class")
    func reasons() {
        let reasons: [Reason] = [
            .verified, .version, .malformedAccount, .noSession, .malformedManifest,
            .unknownAttribute, .silent, .stalled, .busy, .noSpace, .storeFailed, .tooLarge,
            .sourceFailed, .manifestMismatch, .blockMismatch, .imageMismatch, .unsigned, .notNow,
            .noSuchObject, .cancelled,
        ]
        #expect(Set(reasons).count == reasons.count)
        #expect(reasons.allSatisfy { $0.rawValue >> 8 <= 7 })
    }
}
