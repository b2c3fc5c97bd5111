import BLEOTASimulation
import Testing

/// Cells that do not reach what they have to. A cell that gets better, and one that gets worse,
/// makes a test fail which says so.
struct KnownCells {
    /// By name, how bad each may be, in percent.
    var cells: [String: Double] = [:]
    /// How bad any cell without a name here may be, where too many are not reached to name
    /// them; where it is `nil`, all others have to be reached.
    var others: Double?

    /// Forgets what is not among these cells.
    mutating func keep(_ all: [WriteModeCell]) {
        let names = Set(all.map(\.link))
        cells = cells.filter { names.contains($0.key) }
    }

    /// Compares the cells of a requirement with what is known of them.
    func check(_ requirement: WriteModeRequirement, _ all: [WriteModeCell]) {
        for cell in all {
            let name = "\(requirement.name), \(cell.link)"
            if let limit = cells[cell.link] {
                #expect(
                    cell.reaches(limit),
                    "\(name) is \(cell.figure), and `known` allows \(limit) %"
                )
                withKnownIssue("\(name) is in `known`: if it will do, take it out") {
                    #expect(cell.isReached)
                }
            } else {
                let limit = others ?? requirement.percentRequired(cell.transfer)
                #expect(
                    cell.reaches(limit),
                    "\(name) is \(cell.figure), not \(limit) %: better it, or put it into `known`"
                )
            }
        }
        if others != nil {
            withKnownIssue("\(requirement.name) has `others`: if all will do, take that out") {
                #expect(all.allSatisfy { cells[$0.link] != nil || $0.isReached })
            }
        }
        let names = Set(all.map(\.link))
        let unknown = cells.keys.filter { !names.contains($0) }
        #expect(unknown.isEmpty, "\(requirement.name): `known` has cells that are not in the grid")
    }
}
