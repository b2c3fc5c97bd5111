import ArgumentParser
import BLEOTA

/// Hardware from the command line: `acme/lamp`, `acme/lamp:3` or `acme/lamp:2-5`.
struct HardwareArgument: Sendable {
    let range: HardwareRange

    init(_ argument: String) throws {
        let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, let name = parts.first,
            let revisions = parts.count == 1 ? 0...UInt16.max : Self.revisions(parts[1]),
            let range = HardwareRange(name: String(name), revisions: revisions)
        else {
            throw ValidationError(
                "hardware must be VENDOR/NAME of up to 64 bytes, optionally with a revision or "
                    + "range from 0 to 65535, such as acme/lamp:3 or acme/lamp:2-5, not \(argument)"
            )
        }
        self.range = range
    }

    /// The hardware of a single device; `nil` for a range of revisions.
    var hardware: Hardware? {
        guard range.revisions.count == 1 || range.revisions == 0...UInt16.max else { return nil }
        return Hardware(name: range.name, revision: range.revisions.lowerBound)
    }

    private static func revisions(_ text: Substring) -> ClosedRange<UInt16>? {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { UInt16($0) }
        guard ends.count <= 2, let low = ends.first ?? nil, let high = ends.last ?? nil, low <= high
        else { return nil }
        return low...high
    }
}
