/// How far one stage of a campaign is.
package struct StageProgress: Sendable, Hashable {
    package let share: Share
    /// The devices that have been given a job at its end, with those of the stages before.
    package let target: DeviceCount
    /// Its own devices, and how many of them are updated or have failed.
    package let deviceCount: DeviceCount
    package let endedCount: DeviceCount
    /// Whether the campaign has gone on to the next stage, or is finished.
    package let isOver: Bool

    /// How far it is, without a fraction. A stage that is over is done, although fewer devices may
    /// have been left for it.
    package var done: Share {
        if isOver || deviceCount == .zero { return .whole }
        let basisPoints = endedCount.number * 10_000 / deviceCount.number
        return Share(basisPoints: UInt16(basisPoints)) ?? .whole
    }
}

extension Progress {
    /// How far each stage of the campaign is.
    package func stages(of campaign: Campaign) -> [StageProgress] {
        var last = DeviceCount.zero
        return campaign.plan.stages.shares.enumerated().map { number, share in
            let target = campaign.plan.stages.target(of: number, in: population)
            defer { last = target }
            let own = target.number - last.number
            let ended = min(max(0, counts.ended.number - last.number), own)
            return StageProgress(
                share: share,
                target: target,
                deviceCount: DeviceCount(unchecked: own),
                endedCount: DeviceCount(unchecked: ended),
                isOver: number < campaign.stage(after: self) || campaign.phase == .finished
            )
        }
    }
}

extension Campaign {
    /// The stage from 0, which is the last that was counted if the campaign is over.
    fileprivate func stage(after progress: Progress) -> Int {
        phase.progress?.stage ?? progress.stage
    }
}
