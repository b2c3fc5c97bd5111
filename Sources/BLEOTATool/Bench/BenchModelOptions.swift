import ArgumentParser
import BLEOTA
import BLEOTACore
import BLEOTASimulation

/// The properties of a simulated link.
struct BenchModelOptions: ParsableArguments {
    @Option(
        name: .customLong("phy"),
        help: ArgumentHelp(
            "Physical layer; 2M by default.",
            valueName: "PHY"
        )
    )
    var givenPHY: PHYArgument?

    @Option(
        name: .customLong("interval"),
        help: ArgumentHelp(
            "Connection interval in ms, 0.375 to 4000; 30 by default.",
            valueName: "MS"
        ),
        transform: IntervalArgument.init(text:)
    )
    var givenInterval: IntervalArgument?

    @Option(
        name: .customLong("frame-space"),
        help: ArgumentHelp(
            "Microseconds between packets, 0 to 10000; 150 by default.",
            valueName: "US"
        ),
        transform: Self.frameSpaces
    )
    var givenFrameSpaces: FrameSpaces?

    @Option(
        name: .customLong("loss"),
        help: ArgumentHelp(
            "Share of write commands and notifications lost above the link layer, up to 50%.",
            valueName: "P"
        ),
        transform: FaultOptions.probability
    )
    var givenLoss: Probability?

    @Flag(help: "A link without encryption, as receive has it by default.")
    var unencrypted = false

    var phy: PHYArgument { givenPHY ?? .le2M }
    var interval: IntervalArgument { givenInterval ?? IntervalArgument(.milliseconds(30)) }
    var frameSpaces: FrameSpaces { givenFrameSpaces ?? .usual }
    var loss: Probability { givenLoss ?? .never }

    /// The link, with the longest packets that fit in its connection events; `nil` if not even two
    /// of the shortest packets fit.
    var radio: RadioSettings? {
        var radio = RadioSettings()
        radio.phy = phy.phy
        radio.isEncrypted = !unencrypted
        radio.connectionInterval = interval.interval
        radio.frameSpaces = frameSpaces
        radio.valueLoss = loss.value
        return radio.fitted
    }

    /// The name of an option that was given, if any.
    var optionGiven: String? {
        if givenPHY != nil { return "--phy" }
        if givenInterval != nil { return "--interval" }
        if givenFrameSpaces != nil { return "--frame-space" }
        if unencrypted { return "--unencrypted" }
        return givenLoss == nil ? nil : "--loss"
    }

    func validate() throws {
        guard loss.value <= 0.5 else {
            throw ValidationError(
                "--loss must be at most 50% here, because no link that loses more is usable"
            )
        }
        guard radio != nil else {
            throw ValidationError(
                "a connection interval of \(IntervalArgument.text(interval.interval)) ms is too "
                    + "short for two packets over LE \(phy.phy.rawValue); give a longer --interval"
                    + (frameSpaces == .none ? "" : " or a shorter --frame-space")
            )
        }
    }

    private static func frameSpaces(_ text: String) throws -> FrameSpaces {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int64(text),
            let spaces = FrameSpaces(Microseconds(count))
        else {
            throw ValidationError("a frame space must be 0 to 10000 microseconds, not \(text)")
        }
        return spaces
    }
}
