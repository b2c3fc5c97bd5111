public import BLEOTACore

/// The times without a packet in and between the connection events of a link. All are 150 µs until
/// both controllers agree on others, each of them by itself, with the Frame Space Update procedure
/// of Core 6.0 (Bluetooth Core 6.2, volume 6, part B, 4.1.1, 4.1.5 and 5.1.30).
///
/// A controller that can shorten them takes 145 µs or less (4.6.46); how little is its own affair.
/// Those of Nordic's nRF54L agree on 63 µs over 2M, and leave the space between events as it is
/// (sample output of *Shorter Connection Intervals* in the nRF Connect SDK).
public struct FrameSpaces: Sendable, Hashable {
    /// What either end may ask for (volume 4, part E, 7.8.151).
    public static let range = Microseconds.zero...Microseconds.milliseconds(10)

    /// What a link has that agreed on nothing.
    public static let usual = FrameSpaces(unchecked: Microseconds(150))
    /// No time at all: what no controller offers, and what the others come near to.
    public static let none = FrameSpaces(unchecked: .zero)

    /// T_IFS_ACL_CP: from the end of a packet of the central to the answer of the peripheral.
    public let centralToPeripheral: Microseconds
    /// T_IFS_ACL_PC: from the end of a packet of the peripheral to the next one of the central.
    public let peripheralToCentral: Microseconds
    /// T_MCES: at least so long is nothing sent before the next event begins.
    public let betweenEvents: Microseconds

    /// Such times.
    ///
    /// - Returns: `nil` if one of them is out of its range.
    public init?(
        centralToPeripheral: Microseconds,
        peripheralToCentral: Microseconds,
        betweenEvents: Microseconds
    ) {
        let all = [centralToPeripheral, peripheralToCentral, betweenEvents]
        guard all.allSatisfy(Self.range.contains) else { return nil }
        self.centralToPeripheral = centralToPeripheral
        self.peripheralToCentral = peripheralToCentral
        self.betweenEvents = betweenEvents
    }

    /// The same time for all three.
    ///
    /// - Returns: `nil` if it is out of its range.
    public init?(_ each: Microseconds) {
        self.init(
            centralToPeripheral: each,
            peripheralToCentral: each,
            betweenEvents: each
        )
    }

    private init(unchecked each: Microseconds) {
        centralToPeripheral = each
        peripheralToCentral = each
        betweenEvents = each
    }
}
