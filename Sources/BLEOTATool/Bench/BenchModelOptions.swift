import ArgumentParser
import BLEOTA
import BLEOTACore
import BLEOTASimulation

/// The properties of a simulated link.
struct BenchModelOptions: ParsableArguments {
    @Option(name: .customLong("phy"), help: ArgumentHelp("The physical layer.", valueName: "PHY"))
    var givenPHY: PHYArgument?

    @Option(
        name: .customLong("interval"),
        help: ArgumentHelp(
            "The connection interval in milliseconds, 0.375 to 4000 in steps of 0.125; 30 by "
                + "default. Packets are as long as an event has time for.",
            valueName: "MS"
        ),
        transform: IntervalArgument.init(text:)
    )
    var givenInterval: IntervalArgument?

    @Option(
        name: .customLong("frame-space"),
        help: ArgumentHelp(
            "The time between two packets of an event, and between two events, in microseconds, 0 "
                + "to 10000; 150 by default.",
            valueName: "US"
        ),
        transform: Self.frameSpaces
    )
    var givenFrameSpaces: FrameSpaces?

    @Option(
        name: .customLong("loss"),
        help: ArgumentHelp(
            "The share of frames that is lost above the link layer, up to 50%.",
            valueName: "P"
        ),
        transform: FaultOptions.probability
    )
    var givenLoss: Probability?

    var phy: PHYArgument { givenPHY ?? .le2M }
    var interval: IntervalArgument { givenInterval ?? IntervalArgument(.milliseconds(30)) }
    var frameSpaces: FrameSpaces { givenFrameSpaces ?? .usual }
    var loss: Probability { givenLoss ?? .never }

    /// The link, with packets as long as its events have time for; `nil` if an event has no time
    /// for two packets of any length.
    var radio: RadioSettings? {
        var radio = RadioSettings()
        radio.phy = phy.phy
        radio.isEncrypted = true
        radio.connectionInterval = interval.interval
        radio.frameSpaces = frameSpaces
        radio.valueLoss = loss.value
        return radio.fitted
    }

    /// One of the options that the user gave, if any.
    var optionGiven: String? {
        if givenPHY != nil { return "--phy" }
        if givenInterval != nil { return "--interval" }
        if givenFrameSpaces != nil { return "--frame-space" }
        return givenLoss == nil ? nil : "--loss"
    }

    func validate() throws {
        guard loss.value <= 0.5 else {
            throw ValidationError("--loss is at most 50% here: no link that loses more is of use")
        }
        guard radio != nil else {
            throw ValidationError(
                "an event every \(IntervalArgument.text(interval.interval)) ms has no time for two "
                    + "packets of \(phy.phy.rawValue); give a longer --interval"
                    + (frameSpaces == .none ? "" : " or a shorter --frame-space")
            )
        }
    }

    private static func frameSpaces(_ text: String) throws -> FrameSpaces {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int64(text),
            let spaces = FrameSpaces(Microseconds(count))
        else {
            throw ValidationError("a frame space is 0 to 10000 microseconds, not \(text)")
        }
        return spaces
    }
}
