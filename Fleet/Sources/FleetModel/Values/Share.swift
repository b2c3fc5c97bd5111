/// A part of a whole, in hundredths of a percent: 0 to 10,000.
package struct Share: Sendable, Hashable, Comparable {
    package static let whole = Share(unchecked: 10_000)

    package let basisPoints: UInt16

    /// Makes a share; `nil` if it is more than the whole.
    package init?(basisPoints: UInt16) {
        guard basisPoints <= 10_000 else { return nil }
        self.basisPoints = basisPoints
    }

    private init(unchecked basisPoints: UInt16) { self.basisPoints = basisPoints }

    /// This share of `count`, with a fraction counted as a whole one: a stage of 1 % of 3 devices
    /// is one device.
    package func roundedUp(of count: DeviceCount) -> DeviceCount {
        DeviceCount(unchecked: (count.number * Int(basisPoints) + 9_999) / 10_000)
    }

    /// This share of `count`, without a fraction: 2 % of 49 devices is none.
    package func roundedDown(of count: DeviceCount) -> DeviceCount {
        DeviceCount(unchecked: count.number * Int(basisPoints) / 10_000)
    }

    package static func < (left: Share, right: Share) -> Bool {
        left.basisPoints < right.basisPoints
    }
}

/// A number of devices, up to ten millions: ten times what has been measured.
package struct DeviceCount: Sendable, Hashable, Comparable {
    package static let zero = DeviceCount(unchecked: 0)
    private static let numberMax = 10_000_000

    package let number: Int

    /// Makes a number; `nil` if it is negative or too large.
    package init?(_ number: Int) {
        guard (0...Self.numberMax).contains(number) else { return nil }
        self.number = number
    }

    init(unchecked number: Int) {
        precondition((0...Self.numberMax).contains(number), "no number of devices: \(number)")
        self.number = number
    }

    package static func < (left: DeviceCount, right: DeviceCount) -> Bool {
        left.number < right.number
    }
}
