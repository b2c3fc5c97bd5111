package import FleetModel

/// What a device behind a socket says of itself, as a radio would advertise it: a text of lines,
/// each a word and its value.
///
///     hardware lamp
///     group hall
///     version 1.2.0
///     strength -60
///
/// The line of the group may be missing.
package struct Advertisement: Sendable, Hashable {
    /// Two names of 64 bytes, a version of 17, a strength of 4, four words and their spaces are
    /// less than 200.
    package static let byteCountMax = 512

    package var hardware: HardwareName
    package var group: GroupName?
    package var version: FirmwareVersion
    package var strength: Strength

    package init(
        hardware: HardwareName,
        group: GroupName? = nil,
        version: FirmwareVersion,
        strength: Strength
    ) {
        self.hardware = hardware
        self.group = group
        self.version = version
        self.strength = strength
    }

    /// Parses the text, which must be complete, and have nothing else in it.
    package init(_ text: String) throws(Problem) {
        var values: [Substring: Substring] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: " ", omittingEmptySubsequences: false)
            guard parts.count == 2 else {
                throw Problem("a line is a word, a space and a value, not \(Problem.quote(line))")
            }
            guard Self.words.contains(parts[0]) else {
                throw Problem(
                    "its lines are hardware, group, version and strength, not "
                        + Problem.quote(parts[0])
                )
            }
            guard values.updateValue(parts[1], forKey: parts[0]) == nil else {
                throw Problem("it has two lines \(parts[0])")
            }
        }
        func value<Value>(
            _ word: String,
            _ parse: (Substring) -> Value?,
            _ rule: String
        ) throws(Problem) -> Value {
            guard let text = values[word[...]] else { throw Problem("it has no line \(word)") }
            guard let value = parse(text) else {
                throw Problem("\(rule), not \(Problem.quote(text))")
            }
            return value
        }
        hardware = try value(
            "hardware",
            { HardwareName(String($0)) },
            "hardware is named like acme/lamp or lamp"
        )
        version = try value(
            "version",
            { FirmwareVersion(advertised: $0) },
            "a version is three numbers such as 2.1.0"
        )
        strength = try value(
            "strength",
            { Int($0).flatMap { Strength(dBm: $0) } },
            "a strength is -127 to 20"
        )
        guard values["group"] != nil else { return }
        group = try value(
            "group",
            { GroupName(String($0)) },
            "a group is 1 to 64 letters, digits, '_' and '-'"
        )
    }

    private static let words: Set<Substring> = ["hardware", "group", "version", "strength"]

    /// What is wrong with a text, as the end of a sentence.
    package struct Problem: Error, Sendable, Hashable, CustomStringConvertible {
        package let description: String

        init(_ description: String) { self.description = description }

        /// Enough to find it in the file.
        private static let quotedMax = 40

        /// A part of a file that anybody may have written, for a log.
        fileprivate static func quote(_ text: Substring) -> String {
            let isCut = text.count > quotedMax
            let shown = text.prefix(quotedMax).map { character in
                character.unicodeScalars.allSatisfy { (0x20..<0x7F).contains($0.value) }
                    ? character : "?"
            }
            return "'\(String(shown))\(isCut ? "…" : "")'"
        }
    }

    package var text: String {
        """
        hardware \(hardware)
        \(group.map { "group \($0)\n" } ?? "")version \(version)
        strength \(strength.dBm)

        """
    }

    /// Tells about the device that this is.
    package func heard(as id: DeviceID) -> HeardDevice {
        HeardDevice(
            id: id,
            hardware: hardware,
            group: group,
            version: version,
            strength: strength
        )
    }
}
