import FleetTestSupport

/// A process of a fleet.
enum Victim: String, CaseIterable {
    case server, firstController, secondController, east, north, west, devices

    static let gateways: [Victim] = [.east, .north, .west]
    /// Those that speak with the server over a network, which fails.
    static let clients: [Victim] = [.firstController, .secondController] + gateways
}

/// What happens to a process, for a while.
struct Fault: CustomStringConvertible {
    enum Kind {
        /// Its power is cut. It starts again.
        case kill
        /// It stops where it is, and goes on: a disk that doesn't answer, or a machine without
        /// memory.
        case halt
        /// Its network carries nothing, or refuses.
        case stall, cut
        /// Its disk takes longer for each sync.
        case slowDisk(milliseconds: Int64)
        /// Somebody sets its clock. Nobody sets it right.
        case clock(aheadHours: Int64)
    }

    let victim: Victim
    let kind: Kind
    /// When it begins, after the campaign.
    let start: Duration
    /// How long it lasts.
    let length: Duration

    var description: String { "\(start) \(victim.rawValue) \(kind) for \(length)" }

    /// What a seed stands for: six faults within nine seconds, of which the first is a kill, of
    /// another process for each of a row of seeds.
    static func schedule(_ seed: UInt64) -> [Fault] {
        var dice = Dice(seed: seed)
        let all = Victim.allCases
        let first = Fault(all[Int(seed % UInt64(all.count))], .kill, &dice)
        let others = (1..<6).map { _ in
            let victim = all.randomElement(using: &dice)!
            return Fault(victim, kinds(of: victim, &dice).randomElement(using: &dice)!, &dice)
        }
        return ([first] + others).sorted { $0.start < $1.start }
    }

    private init(_ victim: Victim, _ kind: Kind, _ dice: inout Dice) {
        self.victim = victim
        self.kind = kind
        start = .milliseconds(Int.random(in: 0..<9_000, using: &dice))
        length = .milliseconds(Int.random(in: 200..<3_000, using: &dice))
    }

    private static func kinds(of victim: Victim, _ dice: inout Dice) -> [Kind] {
        let clock = Kind.clock(aheadHours: Bool.random(using: &dice) ? 1 : -1)
        let disk = Kind.slowDisk(milliseconds: .random(in: 20..<400, using: &dice))
        return switch victim {
        case .server: [.kill, .halt]
        case .firstController, .secondController: [.kill, .halt, .stall, .cut, clock]
        case .east, .north, .west: [.kill, .halt, .stall, .cut, disk, clock]
        case .devices: [.kill, disk, clock]
        }
    }
}
