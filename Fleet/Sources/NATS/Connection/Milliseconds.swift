extension Duration {
    /// What libnats takes: whole milliseconds from 1 to those of ``Limits/longestWait``.
    var limitedMilliseconds: Int64 {
        let limited = min(max(self, .milliseconds(1)), Limits.longestWait).components
        return limited.seconds * 1_000 + limited.attoseconds / 1_000_000_000_000_000
    }

    /// What a server takes: nanoseconds, up to 292 years.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return isTooLarge ? .max : product &+ attoseconds / 1_000_000_000
    }
}
