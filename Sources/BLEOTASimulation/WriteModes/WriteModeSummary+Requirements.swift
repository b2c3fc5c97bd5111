import BLEOTACore

extension WriteModeSummary {
    /// The project's requirements, and the cells that do not meet them.
    var requirements: String {
        Self.requirementIntroduction
            + requirementTables(over: WriteModeRequirement.uncodedPHYs) { $0.description }
    }

    /// Tables of the results for each requirement, and of the cells that do not meet it.
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

        ## Requirements, simulated

        These requirements apply to the time in which the image is sent, in every cell of the
        tables, and to the queue with loss, which is in the JSON. W is 12, v the number of image
        bytes in a frame, n the number of whole frames that fit into an event, and CI the interval.
        *Worst* is the cell that is furthest from meeting the requirement or, if all cells meet it,
        the cell that meets it by the smallest margin. Its figure is rounded toward the worse side.

        A burst takes the events that it fills, and its acknowledgement the next one. The formula
        omits two effects. A host takes \(hostMilliseconds) ms to answer: if the last frame of a
        burst arrives less than this time before the next event, its acknowledgement goes into the
        event after the next, and the burst takes one more event. A frame of several packets may
        begin in one event and end in the next, so a burst of such frames may take one event less.

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
        guard !cells.isEmpty else { return "\nAll requirements are met.\n" }
        let rows = cells.map { row([$0.requirement.name, $0.link, $0.figure]) }
        return """

            Cells that do not meet a requirement:

            | what | cell | figure |
            | --- | --- | --- |
            \(rows.joined(separator: "\n"))

            """
    }
}
