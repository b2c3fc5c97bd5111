import ArgumentParser
import BLEOTA

/// Faults to inject into a link, to check that a transfer survives them.
struct FaultOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Lose this share of datagrams, such as 2% or 0.02.", valueName: "P"),
        transform: Self.probability
    )
    var loss = Probability.never

    @Option(
        help: ArgumentHelp("Deliver this share of datagrams twice.", valueName: "P"),
        transform: Self.probability
    )
    var duplicate = Probability.never

    @Option(
        help: ArgumentHelp("Deliver this share of datagrams after later ones.", valueName: "P"),
        transform: Self.probability
    )
    var reorder = Probability.never

    @Option(
        help: ArgumentHelp("Flip bits in this share of datagrams.", valueName: "P"),
        transform: Self.probability
    )
    var corrupt = Probability.never

    @Option(
        help: ArgumentHelp(
            "Seed for the faults; the same seed gives the same faults.",
            valueName: "S"
        )
    )
    var seed: UInt64?

    var areAny: Bool { [loss, duplicate, reorder, corrupt].contains { $0 != .never } }

    static func probability(_ text: String) throws -> Probability {
        guard let probability = Probability(text) else {
            throw ValidationError("a share must be 0% to 100%, or 0 to 1, not \(text)")
        }
        return probability
    }

    func plan(seed: UInt64) -> FaultPlan {
        FaultPlan(
            loss: loss,
            duplication: duplicate,
            reordering: reorder,
            corruption: corrupt,
            seed: seed
        )
    }
}
