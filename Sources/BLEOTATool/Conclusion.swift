import BLEOTA

/// The last line of a push or pull.
struct Conclusion {
    private let report: TransferReport
    private let writeMode: WriteModeArgument?

    init(_ report: TransferReport, writeMode: WriteModeArgument?) {
        self.report = report
        self.writeMode = writeMode
    }

    func tell(_ reporter: Reporter) {
        reporter.event(line)
        reporter.note("\(text)\nsha256        \(HexText.text(report.sha256))")
    }

    private var seconds: Double {
        Double(report.duration.components.seconds)
            + Double(report.duration.components.attoseconds) / 1e18
    }

    /// As an event.
    var line: JSONLine {
        JSONLine(event: "result")
            .adding("verified", true)
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

    /// As a person reads it.
    var text: String {
        var line = "verified in \(Units.time(seconds))"
        if report.resumedFromByte == report.encodedByteCount {
            line += " (the receiver had it already)"
        } else {
            line += " ("
            if let encoding = report.encodingName {
                line += "\(Units.rate(report.imageBytesPerSecond)) of image, sent as "
                line += "\(Units.grouped(report.encodedByteCount)) bytes (\(encoding)) at "
            }
            line += "\(Units.rate(report.goodputBytesPerSecond))"
            if report.resumedFromByte > 0 {
                line += ", resumed from byte \(Units.grouped(report.resumedFromByte))"
            }
            line += ", \(Units.grouped(report.dataFramesResent)) of "
            line += "\(Units.grouped(report.dataFramesSent)) frames resent)"
        }
        return line
    }
}

extension TransferReport {
    /// How what travelled was encoded, as `zlib` or `patch, sealed`; `nil` if it was not.
    fileprivate var encodingName: String? { EncodingName.text(compression, isSealed: isSealed) }
}
