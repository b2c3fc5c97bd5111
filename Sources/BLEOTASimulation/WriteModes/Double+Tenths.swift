extension Double {
    /// The number with one digit after the point, the same on every machine. It is at least 0.
    var inTenths: String {
        let tenths = Int((self * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
