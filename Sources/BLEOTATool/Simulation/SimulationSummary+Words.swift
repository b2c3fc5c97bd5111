import BLEOTA

extension SimulationSummary {
    /// The summary as an event.
    func line(after duration: Duration) -> JSONLine {
        JSONLine(event: "result")
            .adding("transfers", transferCount)
            .adding("verified", verifiedCount)
            .adding("ended", endedCount)
            .adding("violations", violations.count)
            .adding("simulatedSeconds", simulatedSeconds)
            .adding("frames", frameCount)
            .adding("bytes", byteCount)
            .adding("interruptions", interruptionCount)
            .adding("seconds", Self.seconds(duration))
    }

    /// The summary as text: names and values.
    func text(after duration: Duration) -> [(name: String, value: String)] {
        var lines = [
            (
                name: "verified",
                value: "\(Units.grouped(verifiedCount)) of \(Units.grouped(transferCount)) "
                    + "transfers"
            )
        ]
        if endedCount > 0 {
            let reasons = endingsInOrder.map { "\($0.name) \(Units.grouped($0.count))" }
            lines.append(
                (
                    name: "ended",
                    value: "\(Units.grouped(endedCount)) with a named reason: "
                        + reasons.joined(separator: ", ")
                )
            )
        }
        let count = violations.count
        lines.append((name: "broke a rule", value: count == 0 ? "none" : "\(count)"))
        lines.append(
            (
                name: "simulated",
                value: "\(Units.time(simulatedSeconds)), \(Units.grouped(frameCount)) frames, "
                    + "\(Units.grouped(byteCount)) bytes, \(Units.grouped(interruptionCount)) "
                    + "interruptions"
            )
        )
        let rate = Double(transferCount) / max(Self.seconds(duration), 0.001)
        lines.append(
            (
                name: "took",
                value: "\(Units.time(Self.seconds(duration))), \(Units.grouped(Int(rate))) "
                    + "transfers a second"
            )
        )
        return lines
    }

    /// The progress as a line that changes in place.
    func progress(after duration: Duration) -> String {
        let percent = transferCount * 100 / range.count
        let seconds = Self.seconds(duration)
        let left = seconds * Double(range.count - transferCount) / Double(max(transferCount, 1))
        return "\(percent < 10 ? " " : "")\(percent) %  \(Units.grouped(transferCount)) of "
            + "\(Units.grouped(range.count)) transfers   \(Units.time(left)) left"
    }

    private static func seconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }
}
