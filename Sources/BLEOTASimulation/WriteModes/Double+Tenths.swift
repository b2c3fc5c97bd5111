extension Double {
    /// The number with one decimal place, formatted identically on every machine. It must not be
    /// negative.
    var inTenths: String {
        let tenths = Int((self * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
