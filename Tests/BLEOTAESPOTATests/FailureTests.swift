import BLEOTA
import Testing

@testable import BLEOTAESPOTA

@Suite("Failures of Espressif's OTA in words")
struct FailureTests {
    @Test("Every refusal has a code, a statement and a remedy")
    func refusals() throws {
        let refusals: [(ESPFailure, String, isRetryable: Bool)] = [
            (.startRefused, "ESP OTA, start rejected", false),
            (.stopRefused, "ESP OTA, stop rejected", false),
            (.damaged(atByte: 4_096), "ESP OTA, CRC error", true),
            (.unchecked, "ESP OTA, CRC ignored", true),
            (.leftOver, "ESP OTA, wrong sector index", true),
        ]
        for (failure, code, isRetryable) in refusals {
            let error = TransferError(esp: failure)
            guard case .refusedByDevice(let refusal) = error.problem else {
                Issue.record("\(failure) is no refusal")
                continue
            }
            #expect(refusal.code == code)
            #expect(error.code == .refused && error.isRetryable == isRetryable)
            #expect(!refusal.statement.hasSuffix(".") && !refusal.remedy.isEmpty)
        }
        let damage = TransferError(esp: .damaged(atByte: 4_096))
        #expect(damage.description.contains("damaged at byte 4096"))
    }

    @Test("Other failures keep their meaning")
    func others() {
        #expect(TransferError(esp: .silent).problem == .silent)
        let error = TransferError(esp: .notUnderstood("nonsense"))
        #expect(error.problem == .peerNotUnderstood("The device sent nonsense."))
    }
}
