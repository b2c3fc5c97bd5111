import DequeModule
package import FleetModel
import FleetStore

extension Planner {
    /// An operator has enrolled a device's key. The device may have no record yet.
    package mutating func see(_ key: DeviceKey, of name: DeviceID) {
        guard let device = numberOfHeard(name) else { return }
        enrolled[device] = key
        if lacksKey(device) { enrolmentQueue.append(device) }
    }

    /// Whether the record of a device has another key than an operator has enrolled, or none.
    func lacksKey(_ device: DeviceNumber) -> Bool {
        guard let key = enrolled[device], devices[device].hasRecord else { return false }
        return devices.key(of: device) != key
    }

    // MARK: - Decisions

    /// Puts the keys that an operator has enrolled into the records.
    mutating func takeEnrolments(_ writes: inout [Write]) {
        while hasRoom, let device = enrolmentQueue.popFirst() {
            // What is under way comes here again when it is over.
            guard !flights.has(device), lacksKey(device),
                var record = devices.record(of: device)?.value
            else { continue }
            record.key = enrolled[device]
            write(record, device, &writes)
        }
    }

    /// Says what the receipt in a report is worth, and remembers a gateway that brought no good one.
    mutating func judge(
        _ report: Report,
        by gateway: GatewayID,
        of device: DeviceNumber,
        _ record: DeviceRecord,
        for plan: CampaignPlan
    ) -> Evidence {
        let evidence = ReceiptJudge.evidence(in: report.news, of: record, for: plan)
        guard report.news.isSuccess, record.nonce != nil else { return evidence }
        switch evidence {
        case .signed: break
        case .unsigned: avoided[device] = number(of: gateway)
        case .forged:
            avoided[device] = number(of: gateway)
            accuse(
                gateway,
                "\(gateway) reports a receipt that \(record.id) did not sign for its order"
            )
        }
        return evidence
    }

    mutating func accuse(_ gateway: GatewayID, _ sentence: String) {
        if audits.count < Self.auditsMax { audits.append(.audit(gateway, sentence)) }
    }
}
