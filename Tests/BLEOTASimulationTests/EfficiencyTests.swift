import BLEOTACore
import Testing

@testable import BLEOTASimulation

/// What a transfer costs in bytes, and how near it comes to what the link carries.
@Suite struct EfficiencyTests {
    @Test(
        "A clean transfer of 512 KiB puts at most 3 % more than the image on the link",
        arguments: [5, 10, 15, 30],
        [4, 8, 16]
    )
    func overhead(latencyMilliseconds: Int, slotCount: Int) {
        var scenario = Self.fieldLink(window: .automatic, loss: 0, seed: 1)
        scenario.imageByteCount = 512 * 1_024
        scenario.slotCount = slotCount
        scenario.senderControl.latency = .milliseconds(latencyMilliseconds)
        scenario.senderData.latency = .milliseconds(latencyMilliseconds)
        scenario.receiverControl.latency = .milliseconds(latencyMilliseconds)
        let pair = SimulationRun.run(scenario)
        let perMille = pair.traffic.byteCount * 1_000 / scenario.imageByteCount
        print(
            "overhead at \(latencyMilliseconds) ms, \(slotCount) slots: "
                + "\(pair.traffic.byteCount) bytes in "
                + "\(pair.traffic.datagramCount) datagrams for \(scenario.imageByteCount): "
                + "\(Double(perMille) / 10) %, \(pair.acknowledgementCount) ACKs"
        )
        #expect(perMille <= 1_030)
    }

    /// 12 frames of 244 bytes in 30 ms, and a round trip of 60 ms.
    private static func fieldLink(window: WindowPolicy, loss: Double, seed: UInt64) -> Scenario {
        var scenario = Scenario(seed: seed)
        scenario.imageByteCount = 256 * 1_024
        scenario.blockByteCount = 4_096
        scenario.slotCount = 16
        scenario.window = window
        scenario.senderControl.latency = .milliseconds(30)
        scenario.senderData.latency = .milliseconds(15)
        scenario.senderData.pace = LinkModel.Pace(
            interval: .milliseconds(30),
            datagramCount: 12,
            queueMax: 10_000
        )
        scenario.senderData.faults.loss = loss
        scenario.receiverControl.latency = .milliseconds(30)
        scenario.healsAt = Instant(microseconds: 3_600_000_000)
        return scenario
    }

    @Test("The automatic window comes near to what the link carries")
    func goodput() {
        let policies: [(String, WindowPolicy)] = [
            ("auto", .automatic), ("fixed 12", .fixed(chunkCount: 12)),
            ("burst 12", .burst(chunkCount: 12, pause: .untilAcknowledged)),
            ("field rule", .fieldRule),
        ]
        // Of each frame of 244 bytes, 240 are image.
        let linkRate = 12.0 * 240 / 0.030
        for loss in [0.0, 0.05] {
            for (name, policy) in policies {
                let scenario = Self.fieldLink(window: policy, loss: loss, seed: 3)
                let pair = SimulationRun.run(scenario)
                guard let verifiedAt = pair.verifiedAt else { continue }
                let seconds = Double(verifiedAt.microseconds) / 1_000_000
                let rate = Double(scenario.imageByteCount) / seconds
                let share = rate / (linkRate * (1 - loss))
                print(
                    "goodput at \(Int(loss * 100)) % loss, \(name): \(Int(rate / 1_000)) kB/s, "
                        + "\(Int(share * 100)) % of what the link delivers"
                )
                if policy == .automatic { #expect(share >= 0.85) }
            }
        }
    }
}
