import BLEOTA
import BLEOTACore
import BLEOTASimulation

extension SimulatedTransferReport {
    /// The command that repeats the transfer.
    var replay: String { "bleota simulate --seed \(seed)" }

    /// The outcome in one or two words.
    var ending: String {
        switch outcome {
        case .verified: "verified"
        case .aborted(let reason): reason.name ?? "reason \(reason.rawValue)"
        case .refused(let reason, _): "refused: \(reason.name ?? "reason \(reason.rawValue)")"
        case .wrongDigest: "wrong receipt"
        case nil: "unfinished"
        }
    }

    var simulatedSeconds: Double { Double(duration.rawValue) / 1_000_000 }

    /// The report as an event.
    var line: JSONLine {
        JSONLine(event: "transfer")
            .adding("seed", "\(seed)")
            .adding("verified", violation == nil && outcome == .verified)
            .adding("ending", ending)
            .adding("violation", violation)
            .adding("replay", violation == nil ? nil : replay)
            .adding("imageBytes", imageByteCount)
            .adding("simulatedSeconds", simulatedSeconds)
            .adding("frames", frameCount)
            .adding("bytes", byteCount)
            .adding("interruptions", interruptionCount)
            .adding("traceHash", traceHashText)
    }

    /// The report as text, for a transfer that broke no rule.
    var text: String {
        "\(ending) after \(Units.time(simulatedSeconds)), \(Units.grouped(frameCount)) frames, "
            + "\(Units.grouped(byteCount)) bytes, \(Units.grouped(interruptionCount)) interruptions"
    }

    /// The hash of the trace. Two runs with the same hash were identical.
    var traceHashText: String {
        let digits = String(traceHash, radix: 16)
        return "0x" + String(repeating: "0", count: 16 - digits.count) + digits
    }
}
