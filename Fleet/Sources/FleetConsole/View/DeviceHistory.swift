package import FleetModel

/// What has happened to a device, from the revisions of its record that the store keeps.
package struct DeviceHistory: Sendable {
    /// A record as it was written at a moment, by the server's clock.
    package struct Revision: Sendable {
        package let record: DeviceRecord
        package let moment: Moment

        package init(_ record: DeviceRecord, at moment: Moment) {
            self.record = record
            self.moment = moment
        }
    }

    package enum News: Sendable, Hashable {
        /// The oldest revision that is kept, or the first that there was.
        case known(DeviceState, FirmwareVersion)
        case given(CampaignID)
        case lent(GatewayID, Turn)
        case updated(FirmwareVersion)
        /// The last attempt failed.
        case failed(Failure)
        /// An attempt failed; the number of the next, when that may begin, and why, which an
        /// earlier version did not write down.
        case retry(attempt: UInt8, notBefore: Moment, after: Failure?)
        /// A gateway gave it back or was silent, which counts as no attempt.
        case returned(GatewayID)
        /// It was heard with another version.
        case version(FirmwareVersion)
        case group(GroupName?)
    }

    package struct Event: Sendable, Hashable {
        package let moment: Moment
        package let news: News
    }

    /// The newest first.
    package let events: [Event]

    /// - Parameter revisions: the oldest first.
    package init(_ revisions: [Revision]) {
        var events: [Event] = []
        var last: DeviceRecord?
        for revision in revisions {
            for news in Self.news(from: last, to: revision.record) {
                events.append(Event(moment: revision.moment, news: news))
            }
            last = revision.record
        }
        self.events = events.reversed()
    }

    private static func news(from old: DeviceRecord?, to new: DeviceRecord) -> [News] {
        guard let old else {
            let known = News.known(DeviceState(new), new.version)
            // The reason of a failure stays as long as anything is known of it.
            guard let why = new.job?.lastFailure else { return [known] }
            return [known, .failed(why)]
        }
        var news: [News] = []
        if new.group != old.group { news.append(.group(new.group)) }
        if let job = new.job, job.campaign != old.job?.campaign {
            news.append(.given(job.campaign))
        }
        if new.job != old.job, new.job?.campaign == old.job?.campaign {
            switch new.job?.state {
            case .succeeded: news.append(.updated(new.version))
            case .failed(let why): news.append(.failed(why))
            case .waiting(let attempt, let notBefore, let why):
                news.append(.retry(attempt: attempt, notBefore: notBefore, after: why))
            case nil: break
            }
        } else if let lease = old.lease, new.lease != lease {
            news.append(.returned(lease.gateway))
        }
        if new.version != old.version, !news.contains(.updated(new.version)) {
            news.append(.version(new.version))
        }
        if let lease = new.lease, lease != old.lease {
            news.append(.lent(lease.gateway, lease.turn))
        }
        return news
    }
}
