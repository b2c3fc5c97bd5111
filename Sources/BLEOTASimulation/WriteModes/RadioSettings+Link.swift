import BLEOTACore

extension RadioSettings {
    /// The connection interval, such as `30.0 ms` or `0.375 ms`.
    var intervalWords: String {
        guard connectionInterval.rawValue % 100 == 0 else { return Words.time(connectionInterval) }
        return "\((Double(connectionInterval.rawValue) / 1_000).inTenths) ms"
    }
}

extension FrameSpaces {
    /// The gap, such as `0 µs`, if all three gaps are equal; otherwise all three gaps, such as
    /// `150, 63, 150 µs`.
    var words: String {
        var times = [centralToPeripheral, peripheralToCentral, betweenEvents].map(\.rawValue)
        if Set(times).count == 1 { times.removeLast(2) }
        return times.map { "\($0)" }.joined(separator: ", ") + " µs"
    }
}
