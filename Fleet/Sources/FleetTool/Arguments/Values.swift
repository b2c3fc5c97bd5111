import ArgumentParser
import FleetModel

/// Reads the values of options and arguments, each with a sentence for what isn't one.
enum Values {
    static func name<Kind>(_ text: String, of kind: Kind.Type) throws -> Identifier<Kind> {
        guard let name = Identifier<Kind>(text) else {
            throw ValidationError("a name is 1 to 64 letters, digits, '_' and '-', not '\(text)'")
        }
        return name
    }

    static func hardware(_ text: String) throws -> HardwareName {
        guard let name = HardwareName(text) else {
            throw ValidationError("hardware is named like acme/lamp or lamp, not '\(text)'")
        }
        return name
    }

    static func version(_ text: String) throws -> FirmwareVersion {
        guard let version = FirmwareVersion(text) else {
            throw ValidationError("a version is three numbers such as 2.1.0, not '\(text)'")
        }
        return version
    }

    static func share(_ text: String) throws -> Share {
        let number = text.hasSuffix("%") ? text.dropLast() : text[...]
        guard let percent = UInt16(number), percent <= 100,
            let share = Share(basisPoints: percent * 100)
        else { throw ValidationError("a share is 0 to 100 percent, not '\(text)'") }
        return share
    }

    static func stages(_ text: String) throws -> StagePlan {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        if parts.contains(where: { $0.contains(where: \.isWhitespace) || $0.isEmpty }) {
            throw ValidationError("stages have a comma between them, like 1,5,100, not '\(text)'")
        }
        let shares = try parts.map(share)
        guard shares.count <= StagePlan.countMax else {
            throw ValidationError(
                "there are up to \(StagePlan.countMax) stages, not \(shares.count)"
            )
        }
        guard let first = shares.first, first.basisPoints > 0 else {
            throw ValidationError("the first stage must be above 0 percent, in '\(text)'")
        }
        guard zip(shares, shares.dropFirst()).allSatisfy({ $0 < $1 }) else {
            throw ValidationError(
                "each stage must be larger than the one before, because it includes that, in "
                    + "'\(text)'"
            )
        }
        guard let plan = StagePlan(shares) else {
            throw ValidationError(
                "the last stage must be 100 percent, which is all devices: '\(text),100'?"
            )
        }
        return plan
    }

    static func window(_ text: String) throws -> DayWindow {
        let minutes = text.split(separator: "-", omittingEmptySubsequences: false)
            .compactMap { minute($0) }
        guard minutes.count == 2, text.filter({ $0 == "-" }).count == 1 else {
            throw ValidationError("a window is like 22:00-06:00, not '\(text)'")
        }
        let length = (minutes[1] + 1_440 - minutes[0]) % 1_440
        return DayWindow(opening: minutes[0], minutes: length == 0 ? 1_440 : length)!
    }

    private static func minute(_ text: Substring) -> UInt16? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let hour = UInt16(parts[0]), let minute = UInt16(parts[1]),
            hour < 24, minute < 60
        else { return nil }
        return hour * 60 + minute
    }
}
