import FleetModel
import FleetStore
import FleetText

extension StateCounts {
    var json: JSON {
        .object([
            "idle": .number(self[.idle]), "waiting": .number(self[.waiting]),
            "updating": .number(self[.updating]), "updated": .number(self[.updated]),
            "failed": .number(self[.failed]),
        ])
    }
}

extension FleetSummary {
    var json: JSON {
        .object([
            "revision": .number(Int(clamping: revision)), "devices": counts.json,
            "gateways": .object([
                "live": .number(liveGatewayCount), "all": .number(gatewayCount),
            ]),
            "campaigns": .object([
                "running": .number(runningCampaignCount), "all": .number(campaignCount),
            ]),
            "isComplete": .flag(isComplete), "isConnected": .flag(isConnected),
            "refreshMilliseconds": .number(Int(refreshPause.milliseconds)),
        ])
    }
}

extension CampaignView {
    /// - Parameter failures: `nil` in a list.
    func json(_ failures: [FailureGroup]? = nil) -> JSON {
        .object([
            "campaign": .text(plan.id.text), "phase": .text(campaign.phase.word),
            "version": .text(plan.version.description),
            "hardware": .text(plan.selection.hardware.text),
            "group": plan.selection.group.map { .text($0.text) },
            "image": .text(plan.image.hexadecimal),
            "stage": stage.map { .number($0 + 1) },
            "selected": population.map { .number($0) }, "waitsFor": wait.map { .text($0.word) },
            "devices": counts.json,
            "stages": .list(stages.map(\.json)),
            "failures": failures.map { .list($0.map(\.json)) },
        ])
    }
}

extension CampaignView.Stage {
    var json: JSON {
        .object([
            "basisPoints": .number(Int(share.basisPoints)), "devices": .number(deviceCount),
            "ended": .number(endedCount), "state": .text(state.rawValue),
        ])
    }
}

extension CampaignView.FailureGroup {
    var json: JSON {
        .object([
            "campaign": .text(campaign.text), "kind": .text(failure.kind.word),
            "detail": .text(failure.detail), "devices": .number(deviceCount),
        ])
    }
}

extension DevicePage {
    var json: JSON {
        .object([
            "deviceCount": .number(deviceCount), "page": .number(query.page + 1),
            "pageCount": .number(pageCount), "devices": .list(rows.map(\.json)),
        ])
    }
}

extension DevicePage.Row {
    var json: JSON { record.json(state, progress) }
}

extension DeviceRecord {
    func json(
        _ state: DeviceState,
        _ progress: FleetView.Progress?,
        _ hearers: [DeviceView.Hearer]? = nil,
        _ history: DeviceHistory? = nil
    ) -> JSON {
        var detail: String?
        if case .failed(let why) = job?.state { detail = why.detail }
        return .object([
            "device": .text(id.text), "hardware": .text(hardware.text),
            "group": group.map { .text($0.text) }, "version": .text(version.description),
            "state": .text(state.rawValue), "campaign": job.map { .text($0.campaign.text) },
            "gateway": lease.map { .text($0.gateway.text) }, "detail": detail.map { .text($0) },
            "storedBytes": progress.map { .number(Int(clamping: $0.storedByteCount)) },
            "bytes": progress.map { .number(Int(clamping: $0.byteCount)) },
            "heardBy": hearers.map { .list($0.map(\.json)) },
            "history": history.map { .list($0.events.map(\.json)) },
        ])
    }
}

extension DeviceView {
    func json(_ history: DeviceHistory?) -> JSON { record.json(state, progress, hearers, history) }
}

extension DeviceView.Hearer {
    var json: JSON {
        .object([
            "gateway": .text(gateway.text), "dBm": .number(Int(strength.dBm)),
            "version": .text(version.description), "time": .text(moment.timestamp),
        ])
    }
}

extension DeviceHistory.Event {
    var json: JSON {
        let fields: (event: String, name: String, value: JSON?) =
            switch news {
            case .known(let state, _): ("known", "state", .text(state.rawValue))
            case .given(let campaign): ("given", "campaign", .text(campaign.text))
            case .lent(let gateway, _): ("lent", "gateway", .text(gateway.text))
            case .updated(let version): ("updated", "version", .text(version.description))
            case .failed(let why): ("failed", "detail", .text(why.detail))
            case .retry(let attempt, _, _): ("retry", "attempt", .number(Int(attempt)))
            case .returned(let gateway): ("returned", "gateway", .text(gateway.text))
            case .version(let version): ("version", "version", .text(version.description))
            case .group(let group): ("group", "group", group.map { .text($0.text) })
            }
        let object = JSON.object([
            "time": .text(moment.timestamp), "event": .text(fields.event),
        ]).adding(fields.name, fields.value)
        guard case .retry(_, _, let why?) = news else { return object }
        return object.adding("detail", .text(why.detail))
    }
}

extension GatewayView {
    var json: JSON {
        .object([
            "gateway": .text(id.text), "state": .text(state.rawValue),
            "places": .number(Int(status.places)), "updating": .number(lentCount),
            "heard": .number(heardCount), "program": .text(status.program.description),
            "time": .text(status.moment.timestamp),
        ])
    }
}

extension AuditLog.Line {
    var json: JSON {
        .object([
            "time": .text(moment.timestamp), "about": .text(about),
            "detail": entry.map { .text($0.sentence) }, "author": entry.map { .text($0.author) },
            "user": entry?.user.map { .text($0) },
        ])
    }
}
