import BLEOTA

/// The last lines of a push or pull.
struct Conclusion {
    private let report: TransferReport
    private let writeMode: WriteModeArgument?

    init(_ report: TransferReport, writeMode: WriteModeArgument?) {
        self.report = report
        self.writeMode = writeMode
    }

    func tell(_ reporter: Reporter) {
        reporter.event(line)
        reporter.removeLine()
        for line in lines { reporter.note(line) }
    }

    private var seconds: Double {
        Double(report.duration.components.seconds)
            + Double(report.duration.components.attoseconds) / 1e18
    }

    /// The result as an event.
    var line: JSONLine {
        JSONLine(event: "result")
            .adding("verified", true)
            .adding("protocol", report.protocolName)
            .adding("sha256", HexText.text(report.sha256))
            .adding("bytes", report.byteCount)
            .adding("encodedBytes", report.encodedByteCount)
            .adding("encoding", report.encodingName)
            .adding("dataBytesSent", report.dataByteCount)
            .adding("resumedFromByte", report.resumedFromByte)
            .adding("seconds", seconds)
            .adding("goodputBytesPerSecond", report.goodputBytesPerSecond)
            .adding("imageBytesPerSecond", report.imageBytesPerSecond)
            .adding("dataFramesSent", report.dataFramesSent)
            .adding("dataFramesResent", report.dataFramesResent)
            .adding("chunkBytes", report.chunkByteCount)
            .adding("attMTU", report.attMTU)
            .adding("writeMode", writeMode?.rawValue)
    }

    /// The result as one line of at most 79 columns.
    var summary: String {
        let start = "verified in \(Units.time(seconds)) ("
        guard report.resumedFromByte < report.encodedByteCount else {
            return start + "the receiver already had it)"
        }
        let resent = Units.grouped(report.dataFramesResent)
        let sent = Units.grouped(report.dataFramesSent)
        let rate = Units.rate(
            report.encodingName == nil ? report.goodputBytesPerSecond : report.imageBytesPerSecond
        )
        return start + "\(rate), \(resent) of \(sent) frames resent)"
    }

    /// The result as text.
    private var lines: [String] {
        var lines = [summary]
        if report.resumedFromByte < report.encodedByteCount, let encoding = report.encodingName {
            lines.append(
                "sent as       \(Units.grouped(report.encodedByteCount)) bytes (\(encoding)) at "
                    + Units.rate(report.goodputBytesPerSecond)
            )
        }
        if (1..<report.encodedByteCount).contains(report.resumedFromByte) {
            lines.append("resumed       at byte \(Units.grouped(report.resumedFromByte))")
        }
        lines.append("sha256        \(HexText.text(report.sha256))")
        return lines
    }
}

extension TransferReport {
    /// The encoding of the data that was sent, such as `zlib` or `patch, sealed`; `nil` if it was
    /// not encoded.
    fileprivate var encodingName: String? { EncodingName.text(compression, isSealed: isSealed) }
}
