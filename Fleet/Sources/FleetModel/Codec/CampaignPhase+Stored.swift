extension CampaignPhase {
    /// The phases by number, each with what belongs to it.
    private enum Number: UInt64 {
        case ready = 0
        case running = 1
        case paused = 2
        case stopped = 3
        case finished = 4
    }

    init(_ reader: inout CBORReader) throws(CodecError) {
        let count = try reader.array(max: 3)
        switch (Number(rawValue: try reader.number()), count) {
        case (.ready, 1): self = .ready
        case (.running, 3):
            let stage = Int(try reader.number(UInt8.self))
            self = .running(stage: stage, population: try reader.deviceCount())
        case (.paused, 3):
            let stage = Int(try reader.number(UInt8.self))
            self = .paused(stage: stage, population: try reader.deviceCount())
        case (.stopped, 2):
            guard let why = StopReason(rawValue: try reader.number(UInt8.self)) else {
                throw .outOfRange
            }
            self = .stopped(why)
        case (.finished, 1): self = .finished
        default: throw .unexpected
        }
    }

    func write(to writer: inout CBORWriter) {
        switch self {
        case .ready: Self.write(.ready, [], to: &writer)
        case .running(let stage, let population):
            Self.write(.running, [stage, population.number], to: &writer)
        case .paused(let stage, let population):
            Self.write(.paused, [stage, population.number], to: &writer)
        case .stopped(let why): Self.write(.stopped, [Int(why.rawValue)], to: &writer)
        case .finished: Self.write(.finished, [], to: &writer)
        }
    }

    private static func write(_ phase: Number, _ details: [Int], to writer: inout CBORWriter) {
        writer.array(1 + details.count)
        writer.write(phase.rawValue)
        for detail in details { writer.write(UInt64(detail)) }
    }
}
