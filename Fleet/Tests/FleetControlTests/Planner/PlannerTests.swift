import FleetControl
import FleetModel
import FleetStore
import NATS
import Testing

@Suite("The planner, beside one that looks at everything")
struct PlannerTests {
    /// Follows a fleet, and stops at the first thing that is wrong.
    private func follow(_ seed: UInt64, _ reasons: inout [String: Int]) -> String? {
        var dice = Dice(seed: seed)
        var fleet = ToyFleet()
        // The signatures are made for it, whatever it is.
        var planner = Planner(ToyFleet.pace) { ToyFleet.nonce }
        planner.catchUp()
        for step in 0..<300 {
            fleet.happen(&planner, &dice)
            if let wrong = decide(&planner, &fleet, &reasons) {
                return "seed \(seed), step \(step): \(wrong)"
            }
            guard step % 10 == 9 else { continue }
            // Once nothing is under way, nothing that should be done is left out.
            var (roundCount, idleCount) = (0, 0)
            while idleCount < 2 || !fleet.flights.isEmpty, roundCount < 400 {
                roundCount += 1
                if fleet.flights.isEmpty {
                    idleCount += 1
                    fleet.now = fleet.now + ToyFleet.pace.tick
                } else {
                    idleCount = 0
                    fleet.end(0, &planner, &dice)
                }
                if let wrong = decide(&planner, &fleet, &reasons) {
                    return "seed \(seed), step \(step), at rest: \(wrong)"
                }
            }
            guard fleet.flights.isEmpty else { return "seed \(seed), step \(step): no end" }
            if let missing = fleet.missingWrite() {
                return "seed \(seed), step \(step): \(missing)"
            }
        }
        return nil
    }

    private func decide(
        _ planner: inout Planner,
        _ fleet: inout ToyFleet,
        _ reasons: inout [String: Int]
    ) -> String? {
        for write in planner.decide(at: fleet.moment, fleet.now) {
            guard let reason = fleet.reason(for: write) else { return "\(write)" }
            reasons[reason, default: 0] += 1
            fleet.begin(write)
        }
        return nil
    }

    @Test("Writes only what may be written, and leaves out nothing that should be")
    func seeds() {
        var reasons: [String: Int] = [:]
        for seed in 0..<(100 as UInt64) {
            let wrong = follow(seed, &reasons)
            #expect(wrong == nil)
            if wrong != nil { break }
        }
        // Everything happens.
        let all = [
            "advance", "audit", "creation", "ending", "enrolment", "feed", "job", "news", "order",
            "progress", "retry", "silence", "withdrawal",
        ]
        #expect(reasons.keys.sorted() == all)
    }
}
