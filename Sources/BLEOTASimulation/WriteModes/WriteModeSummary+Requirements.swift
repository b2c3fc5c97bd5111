import BLEOTACore

extension WriteModeSummary {
    /// The project's requirements, and the cells that miss them.
    var requirements: String {
        Self.requirementIntroduction
            + requirementTables(over: WriteModeRequirement.uncodedPHYs) { $0.description }
    }

    /// Tables of the results for each requirement, and of the cells that miss it.
    func requirementTables(
        over phys: [PHY],
        _ description: (WriteModeRequirement) -> String
    ) -> String {
        let rows = WriteModeRequirement.allCases.map { ($0, $0.cells(of: results, over: phys)) }
        return Self.requirementHead
            + rows.map { Self.overview($0, description($0), $1) }.joined(separator: "\n") + "\n"
            + Self.missed(rows.flatMap { $0.1 }.filter { !$0.isReached })
    }

    private static let requirementHead = """

        | what | figure | cells | worst | not reached |
        | --- | --- | --- | --- | --- |

        """

    static let hostMilliseconds =
        (Double(RadioSettings().hostLatency.rawValue) / 1_000).inTenths

    private static let requirementIntroduction = """

        ## What it has to reach, simulated

        Of the time in which the image is sent, for every cell of the tables, and for the queue at
        loss, which is in the JSON. W is 12, v the bytes of image in a frame, n how many whole
        frames have time in an event, CI the interval. *Worst* is farthest from the figure, or the
        least above it.

        A burst is in the events that it fills, and its acknowledgement in the next. Two things are
        not in the formula. A host takes \(hostMilliseconds) ms to answer: where the last frame of
        a burst comes less than that before the next event, its acknowledgement misses that and goes
        in the one after, so that the burst takes an event more. And a frame of several packets may
        begin in one event and end in the next, so that a burst of such frames may take one less.

        """

    private static func overview(
        _ requirement: WriteModeRequirement,
        _ description: String,
        _ cells: [WriteModeCell]
    ) -> String {
        let worst = cells.min { $0.isWorse(than: $1) }
        return row([
            requirement.name, description, "\(cells.count)",
            worst.map { "\($0.figure) (\($0.link))" } ?? "",
            "\(cells.count { !$0.isReached })",
        ])
    }

    private static func missed(_ cells: [WriteModeCell]) -> String {
        guard !cells.isEmpty else { return "\nAll of it is reached.\n" }
        let rows = cells.map { row([$0.requirement.name, $0.link, $0.figure]) }
        return """

            Where it is not reached:

            | what | cell | figure |
            | --- | --- | --- |
            \(rows.joined(separator: "\n"))

            """
    }
}
