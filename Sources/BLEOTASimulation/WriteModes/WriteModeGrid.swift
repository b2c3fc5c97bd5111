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
        var transfers: [RadioTransfer] = []
        for phy in phys {
            for interval in connectionIntervals {
                for attMTU in attMTUs {
                    for loss in valueLosses {
                        var radio = RadioSettings()
                        radio.phy = phy
                        radio.isEncrypted = true
                        radio.connectionInterval = interval
                        radio.attMTU = attMTU
                        radio.valueLoss = loss
                        guard radio.isPossible else { continue }
                        transfers += modes.map { Self.transfer(over: radio, $0) }
                    }
                }
            }
        }
        return transfers
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
}
