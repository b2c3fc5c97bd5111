package import FleetModel

extension Share {
    /// The share in percent, such as `5 %` or `0.25 %`.
    package var percent: String { percent(space: " ") }

    /// - Parameter space: what stands before the sign.
    package func percent(space: String) -> String {
        let (whole, rest) = (basisPoints / 100, basisPoints % 100)
        if rest == 0 { return "\(whole)\(space)%" }
        return "\(whole)." + (rest < 10 ? "0" : "") + "\(rest)\(space)%"
    }
}
