import ArgumentParser

/// The help texts: the short help of the tool, and the parser's help of a command, arranged so that
/// its first screen contains the parts that most users need.
enum HelpText {
    // MARK: - Short

    /// The short help: one line for each command, on one screen.
    static var short: String {
        let commands = Bleota.configuration.subcommands.compactMap { command in
            command.configuration.commandName.map {
                (name: $0, abstract: command.configuration.abstract)
            }
        }
        let width = commands.map(\.name.count).max() ?? 0
        let lines = commands.map { name, abstract in
            "  \(name)\(String(repeating: " ", count: width - name.count))  \(abstract)"
        }
        return """
            \(Bleota.configuration.abstract)
            USAGE: bleota <command> [<options>]

            \(lines.joined(separator: "\n"))

            For one command, run bleota help <command>; for exit codes, run bleota help.
            """
    }

    // MARK: - The parser's help

    /// The parser's help, with its sections in this order: overview, usage, examples, arguments,
    /// main options, other options, details, exit codes.
    ///
    /// Any other text from the parser, such as a completion script, is returned unchanged.
    static func arranged(_ text: String) -> String {
        guard text.hasPrefix("OVERVIEW: ") || text.hasPrefix("USAGE: ") else { return text }
        var sections = text.components(startingSectionsWith: isHeading)
        if let overview = sections.first, overview.hasPrefix("OVERVIEW: ") {
            sections.replaceSubrange(0..<1, with: parts(ofOverview: overview))
        }
        let ordered = sections.enumerated().sorted {
            (rank(of: $0.element), $0.offset) < (rank(of: $1.element), $1.offset)
        }
        return ordered.map(\.element).joined(separator: "\n\n")
    }

    /// The position of a section among the others.
    private static func rank(of section: String) -> Int {
        let order = [
            ["OVERVIEW:"], ["USAGE:"], ["EXAMPLE:", "EXAMPLES:"], ["ARGUMENTS:"], ["OPTIONS:"], [],
            ["DETAILS:"], ["EXIT CODES:"],
        ]
        let place = order.firstIndex { names in names.contains { section.hasPrefix($0) } }
        // The groups of options that have a title, and the lists of commands.
        return place ?? 5
    }

    /// The abstract, the examples and the rest of a discussion, each as a section.
    private static func parts(ofOverview text: String) -> [String] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let abstract = lines.prefix { !$0.isEmpty }
        let rest = lines.dropFirst(abstract.count).drop { $0.isEmpty }
        let details = rest.prefix { $0 != "Example:" && $0 != "Examples:" }
        let examples = rest.dropFirst(details.count)
        var parts = [abstract.joined(separator: "\n")]
        if let heading = examples.first {
            parts.append(heading.uppercased() + "\n" + examples.dropFirst().joined(separator: "\n"))
        }
        if !details.isEmpty {
            parts.append("DETAILS:\n" + details.joined(separator: "\n"))
        }
        return parts.map { $0.trimmingEmptyLines() }
    }

    private static func isHeading(_ line: Substring) -> Bool {
        if line.hasPrefix("OVERVIEW: ") || line.hasPrefix("USAGE: ") { return true }
        return line.hasSuffix(":") && line.first?.isUppercase == true && line == line.uppercased()
    }
}

extension String {
    /// The text, split before each line that meets the condition. The sections have no empty lines
    /// at the end.
    fileprivate func components(
        startingSectionsWith isStart: (Substring) -> Bool
    ) -> [String] {
        var sections: [[Substring]] = []
        for line in split(separator: "\n", omittingEmptySubsequences: false) {
            if sections.isEmpty || isStart(line) { sections.append([]) }
            sections[sections.count - 1].append(line)
        }
        return sections.map { $0.joined(separator: "\n").trimmingEmptyLines() }
    }

    fileprivate func trimmingEmptyLines() -> String {
        var lines = split(separator: "\n", omittingEmptySubsequences: false)[...]
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines.joined(separator: "\n")
    }
}
