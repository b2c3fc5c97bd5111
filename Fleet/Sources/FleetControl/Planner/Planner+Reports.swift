import DequeModule
package import FleetModel
package import FleetStore
import HeapModule
import NATS

extension Planner {
    /// Sees a report. One of a gateway that doesn't have the device for this turn is ignored.
    package mutating func see(_ report: Report, _ name: DeviceAtGateway, at now: Uptime) {
        guard let device = devices.number(of: name.device), devices[device].hasRecord else {
            return doubt(report, name, nil)
        }
        let row = devices[device]
        let gateway = number(of: name.gateway)
        guard row.lessee == gateway, row.turn == report.turn.number,
            row.campaign.map({ devices.campaigns[$0] }) == report.campaign
        else { return doubt(report, name, row) }
        leases[device]?.seen = now
        if case .working = report.news { return }
        endings[device] = (name.gateway, report)
        endingQueue.append(device)
    }

    /// Writes down that a gateway lies. A turn that is over may have been its own, and its report
    /// late.
    private mutating func doubt(_ report: Report, _ name: DeviceAtGateway, _ row: DeviceRow?) {
        let isLate = row.map {
            report.turn.number < $0.turn || report.turn.number == $0.turn && $0.lessee == nil
        }
        guard report.news.isSuccess, isLate != true else { return }
        accuse(
            name.gateway,
            "\(name.gateway) claims to have updated \(name.device) in turn "
                + "\(report.turn.number), but doesn't have it"
        )
    }

    // MARK: - Decisions

    mutating func endAttempts(at moment: Moment, _ writes: inout [Write]) {
        while hasRoom, let device = endingQueue.popFirst() {
            // What is under way comes here again when it is over.
            guard let ending = endings[device], !flights.has(device) else { continue }
            let campaign = number(of: ending.report.campaign)
            guard var record = devices.record(of: device)?.value,
                let plan = campaigns[campaign.index].known?.value.plan
            else {
                endings[device] = nil
                continue
            }
            let (report, gateway) = (ending.report, ending.gateway)
            let evidence = judge(report, by: gateway, of: device, record, for: plan)
            guard record.take(report, by: gateway, at: moment, for: plan, evidence: evidence)
            else {
                endings[device] = nil
                continue
            }
            write(record, device, &writes)
        }
    }

    mutating func endSilentLeases(at now: Uptime, _ writes: inout [Write]) {
        while hasRoom, let first = silences.min, first.milliseconds <= now.milliseconds {
            let device = silences.removeMin().device
            guard let lease = leases[device], lease.alarm == first.milliseconds else { continue }
            let end = lease.seen + pace.leaseSilenceMax
            // It has spoken since, or is looked at again if it can't be ended now.
            awaitSilence(of: device, until: max(end, now + pace.tick))
            guard end <= now, !flights.has(device), endings[device] == nil,
                var record = devices.record(of: device)?.value
            else { continue }
            avoided[device] = devices[device].lessee
            record.endLease()
            write(record, device, &writes)
        }
    }
}
