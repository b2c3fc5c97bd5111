public import BLEOTACore

/// The gaps between packets within a connection event, and between events. All are 150 µs until
/// both controllers agree on other values with the Frame Space Update procedure of Core 6.0,
/// which sets each gap separately (Bluetooth Core 6.2, volume 6, part B, 4.1.1, 4.1.5 and
/// 5.1.30).
///
/// A controller that supports shorter gaps must accept 145 µs (4.6.46); its minimum may be lower.
/// Nordic's nRF54L controllers agree on 63 µs over 2M, and keep the gap between events unchanged
/// (sample output of *Shorter Connection Intervals* in the nRF Connect SDK).
public struct FrameSpaces: Sendable, Hashable {
    /// The range of times that either end may request (volume 4, part E, 7.8.151).
    public static let range = Microseconds.zero...Microseconds.milliseconds(10)

    /// The gaps of a link whose controllers have not agreed on others.
    public static let usual = FrameSpaces(unchecked: Microseconds(150))
    /// Gaps of zero, which no controller offers; shortened gaps lie between these and the usual
    /// ones.
    public static let none = FrameSpaces(unchecked: .zero)

    /// T_IFS_ACL_CP: the time from the end of a central's packet to the peripheral's response.
    public let centralToPeripheral: Microseconds
    /// T_IFS_ACL_PC: the time from the end of a peripheral's packet to the central's next packet.
    public let peripheralToCentral: Microseconds
    /// T_MCES: the minimum time without packets before the next event begins.
    public let betweenEvents: Microseconds

    /// Creates gaps.
    ///
    /// - Returns: `nil` if a time is out of range.
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

    /// Creates gaps that all have the same length.
    ///
    /// - Returns: `nil` if the time is out of range.
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
