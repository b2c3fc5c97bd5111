import ArgumentParser
import BLEOTA
import BLEOTASimulation

/// What a modelled link is like.
struct BenchModelOptions: ParsableArguments {
    @Option(name: .customLong("phy"), help: ArgumentHelp("The physical layer.", valueName: "PHY"))
    var givenPHY: PHYArgument?

    @Option(
        name: .customLong("interval"),
        help: ArgumentHelp(
            "The connection interval in milliseconds, 7.5 to 4000 in steps of 1.25; 30 by default.",
            valueName: "MS"
        )
    )
    var givenInterval: IntervalArgument?

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
    var loss: Probability { givenLoss ?? .never }

    /// One that was given.
    var optionGiven: String? {
        if givenPHY != nil { return "--phy" }
        if givenInterval != nil { return "--interval" }
        return givenLoss == nil ? nil : "--loss"
    }

    func validate() throws {
        guard loss.value <= 0.5 else {
            throw ValidationError("--loss is at most 50% here: no link that loses more is of use")
        }
        var radio = RadioSettings()
        radio.phy = phy.phy
        radio.isEncrypted = true
        radio.connectionInterval = interval.interval
        guard radio.isPossible else {
            throw ValidationError(
                "an event every \(IntervalArgument.text(interval.interval)) ms has no time for two "
                    + "packets of \(phy.phy.rawValue); give a longer --interval"
            )
        }
    }
}
