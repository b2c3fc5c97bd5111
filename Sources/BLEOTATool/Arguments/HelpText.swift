/// The parser's help in reading order: the usage of a command, its own options, the options that
/// all commands share, and finally the meaning of the exit codes.
enum HelpText {
    /// Any other text that the parser writes, such as a completion script, is unchanged.
    static func arranged(_ text: String) -> String {
        guard text.hasPrefix("OVERVIEW: ") || text.hasPrefix("USAGE: ") else { return text }
        var sections = text.components(startingSectionsWith: isHeading)
        move("OPTIONS:", in: &sections, behind: ["USAGE:", "ARGUMENTS:"])
        move("USAGE:", in: &sections, behind: ["OVERVIEW:"])
        moveToEnd("EXIT CODES:", in: &sections)
        return sections.joined(separator: "\n\n")
    }

    private static func isHeading(_ line: Substring) -> Bool {
        if line.hasPrefix("OVERVIEW: ") || line.hasPrefix("USAGE: ") { return true }
        return line.hasSuffix(":") && line.first?.isUppercase == true && line == line.uppercased()
    }

    private static func move(_ name: String, in sections: inout [String], behind: [String]) {
        guard let from = sections.firstIndex(where: { $0.hasPrefix(name) }) else { return }
        let section = sections.remove(at: from)
        let last = sections.lastIndex { section in behind.contains { section.hasPrefix($0) } }
        sections.insert(section, at: last.map { $0 + 1 } ?? from)
    }

    private static func moveToEnd(_ name: String, in sections: inout [String]) {
        guard let from = sections.firstIndex(where: { $0.hasPrefix(name) }) else { return }
        sections.append(sections.remove(at: from))
    }
}

extension String {
    /// The text split before each line that meets the condition, without empty lines at the ends of
    /// the sections.
    fileprivate func components(
        startingSectionsWith isStart: (Substring) -> Bool
    ) -> [String] {
        var sections: [[Substring]] = []
        for line in split(separator: "\n", omittingEmptySubsequences: false) {
            if sections.isEmpty || isStart(line) { sections.append([]) }
            sections[sections.count - 1].append(line)
        }
        return sections.map { lines in
            var lines = lines[...]
            while lines.last?.isEmpty == true { lines.removeLast() }
            return lines.joined(separator: "\n")
        }
    }
}
