import BLEOTA
import BLEOTACore
import BLEOTASimulation

/// Measures each way of writing on a simulated link, and on that link with one property changed.
struct SimulatedBench {
    private let radio: RadioSettings
    private let output: BenchOutput
    var modes = WriteMode.compared
    /// The image size in bytes; `nil` for that of the committed tables.
    var imageByteCount: Int?

    init(_ radio: RadioSettings, _ output: BenchOutput) {
        self.radio = radio
        self.output = output
    }

    func run() async throws {
        tellLink()
        output.reporter.moving("\(modes.count) transfers")
        let results = await WriteModeResults(of: modes.map { transfer(over: radio, $0) })
        try Self.checkCancellation()
        show(results)
        let changes = LinkChange.all(of: radio, isExact: true)
        output.reporter.moving("\(changes.count) possible changes")
        let changed = await WriteModeResults(
            of: changes.flatMap { change in Self.judged.map { transfer(over: change.radio, $0) } }
        )
        try Self.checkCancellation()
        output.conclude(
            could: could(),
            does: does(results),
            change: changes.compactMap { sentence($0, results, changed) }
                .orElse("nothing: no change that is modeled would make the link 5 % faster")
        )
    }

    /// The ways of writing that are reported for a changed link.
    private static let judged: [WriteMode] = [.withoutResponse(.automatic), .withResponse]

    private static func checkCancellation() throws(Failure) {
        guard Task.isCancelled else { return }
        throw Failure(.signalled, "Stopped; run the same command again for the same figures")
    }

    private func transfer(over radio: RadioSettings, _ mode: WriteMode) -> RadioTransfer {
        var transfer = WriteModeGrid.transfer(over: radio, mode)
        if let imageByteCount {
            transfer.imageByteCount = mode == .withResponse ? imageByteCount / 4 : imageByteCount
        }
        return transfer
    }

    // MARK: - Figures

    private func tellLink() {
        let interval = IntervalArgument.text(radio.connectionInterval)
        let loss = radio.valueLoss > 0 ? "\(lossPercent) % of frames lost" : "no loss"
        output.say(
            "simulated",
            "LE \(radio.phy.rawValue), connection interval \(interval) ms, \(packets)ATT_MTU "
                + "\(radio.attMTU), \(radio.isEncrypted ? "" : "not ")encrypted, \(loss)"
        )
        output.reporter.event(
            JSONLine(event: "bench").adding("simulated", true)
                .adding("phy", radio.phy.rawValue)
                .adding("intervalMilliseconds", Self.milliseconds(radio.connectionInterval))
                .adding("frameSpaceMicroseconds", frameSpaceMicroseconds)
                .adding("packetBytesMax", radio.packetByteCountLimit)
                .adding("isEncrypted", radio.isEncrypted)
                .adding("attMTU", radio.attMTU).adding("lossPercent", radio.valueLoss * 100)
        )
    }

    /// The properties of the packets that differ from those of most links.
    private var packets: String {
        var words: [String] = []
        if radio.packetByteCountLimit < RadioSettings.packetByteCountRange.upperBound {
            words.append("of \(radio.packetByteCountLimit) bytes")
        }
        if radio.frameSpaces != .usual { words.append("spaced \(frameSpaceMicroseconds) µs") }
        return words.isEmpty ? "" : "packets \(words.joined(separator: " ")), "
    }

    /// The frame space, which is the same between packets and between events.
    private var frameSpaceMicroseconds: Int { Int(radio.frameSpaces.betweenEvents.rawValue) }

    private var lossPercent: String { BenchOutput.tenths(radio.valueLoss * 100) }

    private static func milliseconds(_ span: Microseconds) -> Double {
        Double(span.rawValue) / 1_000
    }

    private func show(_ results: WriteModeResults) {
        var table = BenchTable(["writes", "goodput", "ceiling", "of ceiling", "vs. response"])
        let with = results.goodput(transfer(over: radio, .withResponse))
        for mode in modes {
            let transfer = transfer(over: radio, mode)
            let (rate, ceiling) = (results.goodput(transfer), transfer.ceilingBytesPerSecond)
            table.add([
                mode.name, rate.map(Units.rate) ?? "over 1 h", Units.rate(ceiling),
                rate.map { BenchOutput.percent($0, of: ceiling) } ?? "",
                rate.map { BenchOutput.times($0, with ?? 0) } ?? "",
            ])
            output.reporter.event(
                JSONLine(event: "cell").adding("simulated", true).adding("mode", mode.name)
                    .adding("attMTU", radio.attMTU)
                    .adding("chunkBytes", transfer.chunkByteCount)
                    .adding("goodputBytesPerSecond", rate)
                    .adding("ceilingBytesPerSecond", ceiling)
                    .adding("percentOfCeiling", rate.map { $0 / ceiling * 100 })
                    .adding("timesWithResponse", rate.flatMap { rate in with.map { rate / $0 } })
            )
        }
        output.show(table)
    }

    // MARK: - Sentences

    private func could() -> [String] {
        let commands = transfer(over: radio, .withoutResponse(.automatic))
        let requests = transfer(over: radio, .withResponse)
        let eventCount = requests.eventCountPerRequest
        let events =
            eventCount == 2
            ? "two connection events"
            : "\(eventCount) connection events until both hosts have answered"
        return [
            "\(Units.rate(commands.ceilingBytesPerSecond)) without response; "
                + "\(Units.rate(requests.ceilingBytesPerSecond)) with response, where one request "
                + "takes \(events)"
        ]
    }

    private func does(_ results: WriteModeResults) -> [String] {
        Self.judged.map { mode in
            let transfer = transfer(over: radio, mode)
            guard let rate = results.goodput(transfer) else {
                return "\(mode.name): \(Self.tooLong)"
            }
            let ceiling = transfer.ceilingBytesPerSecond
            return "\(mode.name): \(Units.rate(rate)), \(BenchOutput.percent(rate, of: ceiling)) "
                + (rate <= ceiling ? "of that" : "of that, because events shared frames")
        }
    }

    /// A simulated transfer is limited to one hour.
    private static let tooLong = "not done within an hour; choose a smaller --size"

    /// The effect of a change; `nil` unless it makes some way of writing 5 % faster and the
    /// default one no slower.
    private func sentence(
        _ change: LinkChange,
        _ results: WriteModeResults,
        _ changed: WriteModeResults
    ) -> String? {
        let gains = Self.judged.map { mode -> (mode: WriteMode, rate: Double, times: Double)? in
            guard let now = results.goodput(transfer(over: radio, mode)),
                let then = changed.goodput(transfer(over: change.radio, mode))
            else { return nil }
            return (mode, then, then / now)
        }
        guard LinkChange.isGain(gains.map { $0?.times ?? 1 }) else { return nil }
        var line = JSONLine(event: "change").adding("simulated", true).adding("change", change.name)
        let names = ["auto", "withResponse"]
        for (name, gain) in zip(names, gains) {
            line = line.adding("\(name)BytesPerSecond", gain?.rate)
                .adding("\(name)Times", gain?.times)
        }
        output.reporter.event(line)
        // A change of less than 1 % is none.
        let words = gains.compactMap { $0 }.filter { abs($0.times - 1) >= 0.01 }.map {
            "\($0.mode.name) \(Units.rate($0.rate)), \(Self.words(ofTimes: $0.times))"
        }
        return "\(change.name): \(words.joined(separator: "; "))"
    }

    /// A ratio in words, such as `1.7 times` or `4 % less`.
    private static func words(ofTimes times: Double) -> String {
        let percent = Int((abs(times - 1) * 100).rounded())
        return switch times {
        case 1.2...: "\(BenchOutput.tenths(times)) times"
        case 1...: "\(percent) % more"
        default: "\(percent) % less"
        }
    }
}

extension [String] {
    /// The lines, or one line in their place if there are none.
    func orElse(_ line: String) -> [String] { isEmpty ? [line] : self }
}
