public import BLEOTACore

/// A grid of transfers, with all combinations of the listed values.
///
/// ```swift
/// var grid = WriteModeGrid()
/// grid.attMTUs = [247]
/// print(await WriteModeResults(of: grid.transfers).json)
/// ```
public struct WriteModeGrid: Sendable, Hashable {
    /// The physical layers.
    public var phys = PHY.allCases
    /// The connection intervals.
    public var connectionIntervals: [Microseconds] = [7_500, 15_000, 30_000, 50_000]
        .map { Microseconds($0) }
    /// The gaps between packets and between events.
    public var frameSpaces = [FrameSpaces.usual]
    /// Whether packets are as long as an event has time for. Otherwise their payload is up to 251
    /// bytes, and links whose events lack the time for two such packets are left out.
    public var fitsPackets = false
    /// The ATT_MTUs.
    public var attMTUs = [23, 65, 185, 247, 517]
    /// The write modes.
    public var modes = WriteMode.compared
    /// The fractions of commands and notifications that are lost above the link layer.
    public var valueLosses = [0, 0.01, 0.05]

    /// Creates the full grid.
    public init() {}

    /// The transfers, except those over links whose connection events lack the time for two
    /// packets.
    public var transfers: [RadioTransfer] {
        links.flatMap { link in
            attMTUs.flatMap { attMTU in
                valueLosses.flatMap { loss in
                    var radio = link
                    radio.attMTU = attMTU
                    radio.valueLoss = loss
                    return modes.map { Self.transfer(over: radio, $0) }
                }
            }
        }
    }

    /// The possible links, without variations of ATT_MTU and loss.
    private var links: [RadioSettings] {
        phys.flatMap { phy in
            connectionIntervals.flatMap { interval in
                frameSpaces.compactMap { spaces in
                    var radio = RadioSettings()
                    radio.phy = phy
                    radio.isEncrypted = true
                    radio.connectionInterval = interval
                    radio.frameSpaces = spaces
                    if fitsPackets { return radio.fitted }
                    return radio.isPossible ? radio : nil
                }
            }
        }
    }

    /// Returns a transfer of the grid: 512 KiB without response, or a quarter of that with
    /// response, because requests are slow but reach their full rate immediately.
    public static func transfer(over radio: RadioSettings, _ mode: WriteMode) -> RadioTransfer {
        var transfer = RadioTransfer()
        transfer.radio = radio
        transfer.writeMode = mode
        if mode == .withResponse { transfer.imageByteCount /= 4 }
        return transfer
    }

    /// The transfers of the committed results, which ``WriteModeSummary`` presents. Over 1M and
    /// 2M, they contain `auto` at every loss rate, and bursts of 12 and requests without loss. Over
    /// all physical layers, they contain all modes at an ATT_MTU of 247 without loss.
    public static var committed: [RadioTransfer] {
        var uncoded = WriteModeGrid()
        uncoded.phys = [.le1M, .le2M]
        uncoded.modes = [.withoutResponse(.automatic), .burst12, .withResponse]
        var windows = WriteModeGrid()
        windows.attMTUs = [247]
        windows.valueLosses = [0]
        let wanted = uncoded.transfers.filter {
            $0.radio.valueLoss == 0 || $0.writeMode == .withoutResponse(.automatic)
        }
        return wanted + windows.transfers
    }

    /// The transfers over links that only new radios support, in the same modes as over 1M and 2M
    /// in ``committed``. They cover intervals below 7.5 ms, with the usual frame spaces and with
    /// none, and the coded PHY. All packets are as long as an event has time for.
    public static var newRadios: [RadioTransfer] {
        var short = WriteModeGrid()
        short.phys = [.le1M, .le2M]
        short.connectionIntervals = [375, 1_000, 2_500].map { Microseconds($0) }
        short.frameSpaces = [.usual, .none]
        var coded = WriteModeGrid()
        coded.phys = [.codedS2, .codedS8]
        coded.connectionIntervals = [7_500, 30_000, 50_000].map { Microseconds($0) }
        return [short, coded].flatMap { grid in
            var grid = grid
            grid.fitsPackets = true
            grid.attMTUs = [23, 65, 247]
            grid.modes = [.withoutResponse(.automatic), .burst12, .withResponse]
            return grid.transfers.filter {
                $0.radio.valueLoss == 0 || $0.writeMode == .withoutResponse(.automatic)
            }
        }
    }
}
