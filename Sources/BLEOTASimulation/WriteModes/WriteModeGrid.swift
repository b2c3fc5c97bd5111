public import BLEOTACore

/// Transfers over links that differ in one thing at a time: all combinations of what it lists.
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
    /// The times between packets and between events.
    public var frameSpaces = [FrameSpaces.usual]
    /// Whether packets are as long as an event has time for. Otherwise they have 251 bytes, and
    /// links whose events have no time for two of those are left out.
    public var fitsPackets = false
    /// The ATT_MTUs.
    public var attMTUs = [23, 65, 185, 247, 517]
    /// How the image is written.
    public var modes = WriteMode.compared
    /// The shares of commands and notifications that are lost above the link layer.
    public var valueLosses = [0, 0.01, 0.05]

    /// All there is.
    public init() {}

    /// The transfers, without those over links whose connection events have no time for two
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

    /// The links that are possible, without ATT_MTU and loss.
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

    /// A transfer as the grid has it: of 512 KiB without response, and of a quarter of that with
    /// response, since one request at a time takes its time and has the same rate from the start.
    public static func transfer(over radio: RadioSettings, _ mode: WriteMode) -> RadioTransfer {
        var transfer = RadioTransfer()
        transfer.radio = radio
        transfer.writeMode = mode
        if mode == .withResponse { transfer.imageByteCount /= 4 }
        return transfer
    }

    /// The transfers that the committed results consist of: those of ``WriteModeSummary``, which
    /// are all combinations of `auto`, of the rule of 12 and of requests over 1M and 2M, and at one
    /// ATT_MTU all modes over all physical layers.
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

    /// The transfers over links that only new radios have, each in the modes of ``committed``:
    /// intervals below 7.5 ms with the usual space between packets and with none, and the coded
    /// layers, all with packets as long as an event has time for.
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
