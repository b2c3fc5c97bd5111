import BLEOTA
import FleetModel

/// Says what a receipt is worth. It only computes, so the planner may ask it.
enum ReceiptJudge {
    /// - Parameters:
    ///   - news: what a gateway reports.
    ///   - record: the record of the device that the gateway has.
    ///   - plan: the plan of the campaign for which it has the device.
    static func evidence(
        in news: Report.News,
        of record: DeviceRecord,
        for plan: CampaignPlan
    ) -> Evidence {
        guard case .proved(let receipt) = news else { return .unsigned }
        guard let nonce = record.nonce.flatMap({ ReceiptNonce(bytes: $0.bytes) }),
            let receipt = SignedReceipt(bytes: receipt.bytes),
            let signer = record.key ?? DeviceKey(receipt.publicKey),
            let key = try? VerifyingKey(bytes: signer.publicBytes),
            receipt.isValid(for: key, nonce: nonce), receipt.isConfirmed(plan.content.bytes)
        else { return .forged }
        return .signed(by: signer)
    }
}
