/// How well a device is heard, in dBm: -127 to 20, as Bluetooth says it.
package struct Strength: Sendable, Hashable, Comparable {
    package let dBm: Int8

    /// Makes a strength; `nil` if Bluetooth can't say it.
    package init?(dBm: Int) {
        guard let value = Int8(exactly: dBm), (-127...20).contains(value) else { return nil }
        self.dBm = value
    }

    /// Makes the strength that a Bluetooth controller measured (Bluetooth Core, 5.4, volume 4, part E,
    /// section 7.7.65.2). A controller that can't measure it says 127. The device then counts as
    /// heard, but weaker than by any gateway that measures.
    package init?(measured rssi: Int) {
        self.init(dBm: rssi == 127 ? -127 : rssi)
    }

    /// The difference of two strengths, without its sign.
    func distance(to other: Strength) -> Int { abs(Int(dBm) - Int(other.dBm)) }

    package static func < (left: Strength, right: Strength) -> Bool { left.dBm < right.dBm }
}
