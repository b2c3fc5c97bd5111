/// What was measured of one number of devices.
struct Result {
    static let head = """
        | devices | read at start | memory | peak | server | jobs | load | status | outcomes/s | takeover |
        | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
        """

    var deviceCount = 0
    /// From the start of a controller until it knows all devices.
    var reading = Duration.zero
    var idleBytes = 0
    var peakBytes = 0
    var serverBytes = 0
    var jobCount = 0
    /// The share of one processor that the controller uses with these jobs.
    var load = 0.0
    var status: Duration?
    var outcomesPerSecond = 0.0
    /// From the death of a controller until another knows all devices.
    var takeover = Duration.zero

    var row: String {
        let cells = [
            "\(deviceCount)", Self.seconds(reading), Observed.mebibytes(idleBytes),
            Observed.mebibytes(peakBytes), Observed.mebibytes(serverBytes), "\(jobCount)",
            "\(Int(load * 100)) %", status.map(Self.seconds) ?? "-",
            "\(Int(outcomesPerSecond))", Self.seconds(takeover),
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    private static func seconds(_ duration: Duration) -> String {
        let hundredths = Int((duration / .milliseconds(10)).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100)." + (rest < 10 ? "0" : "") + "\(rest) s"
    }
}
