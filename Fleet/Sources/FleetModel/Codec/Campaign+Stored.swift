extension Campaign: Stored {
    /// The head and the version 2, three names 198, two digests 68, two versions 20, stages 49, the
    /// share 3, the window 7, retries 12, receipts 1 and the phase 8, which is 368.
    package static let byteCountMax = 368
    package static let itemCount = 13

    package init(from bytes: [UInt8]) throws(CodecError) {
        var reader = try Self.reader(bytes)
        let plan = try CampaignPlan(&reader)
        let phase = try CampaignPhase(&reader)
        try reader.end()
        let isPossible =
            switch phase {
            case .running(let stage, let population), .paused(let stage, let population):
                stage < plan.stages.shares.count && population > .zero
            case .ready, .stopped, .finished: true
            }
        guard isPossible else { throw .outOfRange }
        self.init(plan, phase)
    }

    package var bytes: [UInt8] {
        var writer = Self.writer()
        plan.write(to: &writer)
        phase.write(to: &writer)
        return writer.bytes
    }
}
