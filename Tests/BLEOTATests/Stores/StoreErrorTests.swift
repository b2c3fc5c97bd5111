import BLEOTAWire
import SystemPackage
import Testing

@testable import BLEOTA

@Suite("A store's error")
struct StoreErrorTests {
    @Test("has the reason and the detail of the registry")
    func reasons() {
        let expected: [(StoreError.Code, Reason, UInt64)] = [
            (.busy, .busy, 0), (.noSpace(bytesFree: 7), .noSpace, 7),
            (.storeFailed(errno: 5), .storeFailed, 5), (.tooLarge(limit: 9), .tooLarge, 9),
            (.manifestMismatch, .manifestMismatch, 0), (.malformedManifest, .malformedManifest, 0),
            (.unknownAttribute(type: 0x90), .unknownAttribute, 0x90),
            (.imageMismatch, .imageMismatch, 0), (.cannotCreate(errno: 13), .storeFailed, 13),
        ]
        for (code, reason, detail) in expected {
            let error = StoreError(code, "")
            #expect(error.reason == reason)
            #expect(error.detail == detail)
        }
    }

    @Test("says what, where and what to do")
    func sentences() {
        let full = StoreError.failed(.noSpace, to: "write", "/x/image") { 12 }
        #expect(full.code == .noSpace(bytesFree: 12))
        #expect(full.message.contains("/x/image") && full.message.contains("12 bytes are free"))
        let denied = StoreError.failed(.permissionDenied, to: "create", "/x/image") { 12 }
        #expect(denied.errno == .permissionDenied)
        #expect(
            denied.message.hasPrefix("Can't create /x/image: Permission denied; give this user")
        )
    }
}
