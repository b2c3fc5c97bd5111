import BLEOTA
import BLEOTACore
import BLEOTASimulation

/// Measures a link to a receiver. Each run sends part of an image of random bytes, which the
/// receiver then discards.
struct LinkBench {
    /// More than Bluetooth LE carries in five seconds.
    static let imageByteCount = 1 << 20
    static let imageByteCountMin = 1 << 16
    /// The divisor of the image size in runs with response. Even at the shortest interval, requests
    /// carry only about a tenth of the data that commands carry. At a long interval, the manifest
    /// of a larger image alone would take a long time.
    private static let shareWithResponse = 8

    private let connector: any Connector
    private let facts: MachineFacts
    private let output: BenchOutput
    var attMTUs: [Int] = []
    var modes: [WriteMode] = [.withoutResponse(.automatic), .burst12, .withResponse]
    var seconds = 5
    var repeatCount = 3
    var imageByteCount = Self.imageByteCount

    init(_ connector: any Connector, facts: MachineFacts, _ output: BenchOutput) {
        self.connector = connector
        self.facts = facts
        self.output = output
    }

    func run() async throws {
        let link = try await connected()
        defer { link.close(.local) }
        tellLink(link)
        var cells = cells(over: link)
        let runCount = cells.count * repeatCount
        var number = 0
        for round in 0..<repeatCount {
            // Back and forth, so that slow changes affect all kinds alike.
            let order = round.isMultiple(of: 2) ? Array(cells.indices) : cells.indices.reversed()
            for index in order {
                number += 1
                let what = "\(number) of \(runCount) runs   \(cells[index].name)"
                output.reporter.moving(what)
                let run = try await measure(cells[index], over: link) { rate in
                    output.reporter.moving("\(what)   \(Units.rate(rate))")
                }
                cells[index].add(run)
                output.reporter.event(cells[index].line(of: run, number: number))
            }
        }
        LinkFindings(cells, facts, attMTU: link.limits.attMTU).tell(output)
    }

    private func connected() async throws -> any Transport {
        do throws(TransferError) {
            let limit = PushOptions().connectionLimit
            return try await Reconnection.firstLink(within: limit) { () throws(TransferError) in
                try await connector.connect()
            }
        } catch {
            guard error.problem == .cancelled else { throw error }
            throw Failure(.signalled, "Stopped before anything was sent")
        }
    }

    private func cells(over link: any Transport) -> [BenchCell] {
        var attMTUs: [Int] = []
        for attMTU in self.attMTUs.isEmpty ? [link.limits.attMTU] : self.attMTUs {
            // If the link supports less, all larger values are measured as one.
            let attMTU = min(attMTU, link.limits.attMTU)
            if !attMTUs.contains(attMTU) { attMTUs.append(attMTU) }
        }
        let modes = modes.filter { $0 != .withResponse || link.limits.takesDataWithResponse }
        return attMTUs.flatMap { attMTU in modes.map { BenchCell($0, attMTU: attMTU) } }
    }

    private func tellLink(_ link: any Transport) {
        let attMTU = link.limits.attMTU
        output.say("link", "\(facts.link), ATT_MTU \(attMTU)")
        if let adapter = facts.adapter {
            output.say(
                "adapter",
                "\(adapter) \(facts.adapterAddress ?? ""), BlueZ "
                    + "\(facts.daemonVersion ?? "of unknown version")"
            )
        }
        output.say("kernel", facts.kernel)
        output.say("date", facts.date)
        if !link.limits.takesDataWithResponse {
            output.say("left out", "writing with response, which the device does not support")
        }
        output.say(
            "each",
            "at most \(seconds) s and \(Units.grouped(imageByteCount)) bytes; "
                + (repeatCount == 1 ? "1 run" : "medians of \(repeatCount) runs")
        )
        output.reporter.event(
            JSONLine(event: "bench").adding("simulated", false).adding("link", facts.link)
                .adding("adapter", facts.adapter).adding("adapterAddress", facts.adapterAddress)
                .adding("bluez", facts.daemonVersion).adding("kernel", facts.kernel)
                .adding("date", facts.date).adding("attMTU", attMTU)
                .adding("isOrdered", link.limits.isOrdered)
                .adding("takesDataWithResponse", link.limits.takesDataWithResponse)
                .adding("seconds", seconds).adding("imageBytes", imageByteCount)
                .adding("repeats", repeatCount)
        )
    }

    // MARK: - One run

    private func measure(
        _ cell: BenchCell,
        over link: any Transport,
        onRate: @escaping @Sendable (Double) -> Void
    ) async throws -> TransferMeasurement {
        let prepared = try randomImage(
            cell.mode == .withResponse
                ? max(imageByteCount / Self.shareWithResponse, Self.imageByteCountMin)
                : imageByteCount
        )
        do throws(TransferError) {
            return try await BLEOTA.measure(
                prepared,
                over: link,
                for: .seconds(seconds),
                attMTUMax: cell.attMTU,
                options: cell.options
            ) { progress in onRate(progress.bytesPerSecond) }
        } catch {
            link.close(.local)
            throw await failure(of: error, prepared)
        }
    }

    /// A new image for each run, so that the device has no part of it.
    private func randomImage(_ byteCount: Int) throws -> Firmware {
        var generator = SeededGenerator(seed: .random(in: .min ... .max))
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount + 7)
        while bytes.count < byteCount {
            withUnsafeBytes(of: generator.next()) { bytes += $0 }
        }
        bytes.removeLast(bytes.count - byteCount)
        // Neither text nor the magic number of any format begins with a zero.
        bytes[0] = 0
        return try Firmware(FirmwareFile(bytes: bytes, name: "bleota bench"))
    }

    // MARK: - When it fails

    /// Returns the failure to report after a run has failed. Before that, tells the receiver to
    /// discard the data, if possible.
    private func failure(of error: TransferError, _ prepared: Firmware) async -> Failure {
        let cause = error.sentence.prefix { $0 != ";" }
        switch error.problem {
        case .refused(.tooLarge, _), .refused(.noSpace, _):
            return Failure(ExitStatus(error), "\(cause); choose a smaller image with --size")
        case .refused(.unsigned, _):
            return Failure(
                ExitStatus(error),
                "\(cause), and a benchmark's images are unsigned; start a receiver with "
                    + "--allow-unsigned"
            )
        case .cancelled:
            return Failure(
                .signalled,
                "Stopped; the receiver was told to discard what it had received"
            )
        case .linkLost, .silent, .stalled: break
        default: return Failure(error)
        }
        let remainder =
            await isTakenBack(prepared)
            ? "the receiver was told over a new link to discard what it had received"
            : "the receiver may keep part of the data until other transfers replace it"
        let status = Task.isCancelled ? .signalled : ExitStatus(error)
        return Failure(
            status,
            "\(cause), and \(remainder); run the same command again to start over"
        )
    }

    private func isTakenBack(_ prepared: Firmware) async -> Bool {
        // A new task, because a cancelled task could not connect after an interrupt.
        await Task {
            do throws(TransferError) {
                let link = try await connector.connect()
                defer { link.close(.local) }
                try await withdraw(prepared, over: link)
                return true
            } catch {
                return false
            }
        }.value
    }
}

extension BenchCell {
    /// A short name.
    var name: String { "\(mode.name), ATT_MTU \(attMTU)" }
}
