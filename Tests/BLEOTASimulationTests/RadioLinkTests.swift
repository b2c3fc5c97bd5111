import BLEOTACore
import Testing

@testable import BLEOTASimulation

/// The modelled radio alone, against the closed formulae and against what others measured.
@Suite struct RadioLinkTests {
    private static let intervals = [7_500, 15_000, 30_000, 50_000]

    /// What arrives in so many seconds when the central always has something to send, in bytes a
    /// second.
    private func rate(
        _ settings: RadioSettings,
        ofValue byteCount: Int,
        as operation: RadioLink<Int>.Operation,
        forSeconds seconds: Int = 10
    ) -> Double {
        var link = RadioLink<Int>(settings)
        var random = SimulationRandom(seed: 1)
        let end = Instant(microseconds: Int64(seconds) * 1_000_000)
        var (now, waitingCount, arrivedCount) = (Instant(microseconds: 0), 0, 0)
        while true {
            while waitingCount < (operation == .request ? 1 : 500) {
                link.send(0, byteCount: byteCount, as: operation, from: .central, at: now)
                waitingCount += 1
            }
            guard let next = link.nextMoment, next <= end else { break }
            now = next
            guard link.advance(to: now, &random) != nil else {
                if operation == .request, !link.isRequesting(.central) { waitingCount = 0 }
                continue
            }
            arrivedCount += 1
            if operation != .request { waitingCount -= 1 }
        }
        return Double(arrivedCount * byteCount) / Double(seconds)
    }

    @Test(
        "Commands fill the link as the formula says",
        arguments: [PHY.le1M, .le2M],
        [20, 182, 244, 495]
    )
    func commands(phy: PHY, byteCount: Int) {
        for interval in Self.intervals {
            var settings = RadioSettings()
            settings.phy = phy
            settings.connectionInterval = Microseconds(Int64(interval))
            settings.attMTU = 517
            let ceiling = settings.commandCeiling(ofValue: byteCount)
            let share = rate(settings, ofValue: byteCount, as: .command) / ceiling
            // A value whose packets are split over two events uses time that the formula leaves.
            let isSplit = settings.packetByteCounts(ofValue: byteCount).count > 1
            #expect(share >= 0.99 && share <= (isSplit ? 1.35 : 1.001), "\(interval): \(share)")
        }
    }

    @Test(
        "Requests take two events each, however short the interval",
        arguments: [PHY.le1M, .le2M]
    )
    func requests(phy: PHY) {
        for interval in Self.intervals {
            var settings = RadioSettings()
            settings.phy = phy
            settings.connectionInterval = Microseconds(Int64(interval))
            let ceiling = settings.requestCeiling(ofValue: 244)
            let share = rate(settings, ofValue: 244, as: .request) / ceiling
            #expect(abs(share - 1) < 0.01, "\(interval): \(share)")
        }
    }

    /// Of peers.md: kilobits a second of values, as their makers publish them.
    @Test("Published figures are met: SoftDevice s140, Bluetooth SIG, Silicon Labs")
    func published() {
        func settings(_ phy: PHY, _ interval: Microseconds, isLong: Bool = true) -> RadioSettings {
            var settings = RadioSettings()
            settings.phy = phy
            settings.connectionInterval = interval
            settings.hasDataLengthExtension = isLong
            return settings
        }
        let figures: [(String, RadioSettings, Int, RadioLink<Int>.Operation, Double)] = [
            ("s140, 2M, 50 ms", settings(.le2M, .milliseconds(50)), 244, .command, 1_327.5),
            ("s140, 2M, 400 ms", settings(.le2M, .milliseconds(400)), 244, .command, 1_376.2),
            (
                "SIG, 1M, short packets", settings(.le1M, .seconds(4), isLong: false), 182,
                .command, 305
            ),
            ("SIG, 1M", settings(.le1M, .seconds(4)), 244, .command, 803),
            ("SIG, 2M", settings(.le2M, .seconds(4)), 244, .command, 1_400),
            (
                "Silicon Labs, requests, 7.5 ms", settings(.le2M, Microseconds(7_500)), 247,
                .request, 132.8
            ),
        ]
        for (name, settings, byteCount, operation, published) in figures {
            let seconds = 40
            let modelled =
                rate(settings, ofValue: byteCount, as: operation, forSeconds: seconds) * 8 / 1_000
            let error = (modelled / published - 1) * 100
            print("\(name): \(published) kbit/s published, \(modelled) modelled, \(error) %")
            #expect(abs(error) < 4, "\(name)")
        }
    }

    @Test("A damaged packet is sent again, and everything arrives once and in order")
    func damage() {
        var settings = RadioSettings()
        settings.packetErrorRate = 0.2
        var link = RadioLink<Int>(settings)
        var random = SimulationRandom(seed: 3)
        for number in 0..<500 {
            let start = Instant(microseconds: 0)
            link.send(number, byteCount: 244, as: .command, from: .central, at: start)
            link.send(
                1_000 + number,
                byteCount: 200,
                as: .notification,
                from: .peripheral,
                at: start
            )
        }
        var arrived: [RadioLink<Int>.End: [Int]] = [:]
        while let next = link.nextMoment {
            guard case .value(let token, at: let end) = link.advance(to: next, &random) else {
                continue
            }
            arrived[end, default: []].append(token)
        }
        #expect(arrived[.peripheral] == Array(0..<500))
        #expect(arrived[.central] == Array(1_000..<1_500))
        #expect(link.queuedByteCountMax(at: .central) == 500 * 244)
    }
}
