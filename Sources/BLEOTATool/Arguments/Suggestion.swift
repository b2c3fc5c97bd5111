import ArgumentParser

/// The command that a user probably meant by an unknown name.
enum Suggestion {
    static func sentence(for arguments: [String]) -> String? {
        let words = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
        return sentence(for: words, below: Bleota.self, path: "bleota")
    }

    private static func sentence(
        for words: ArraySlice<String>,
        below command: any ParsableCommand.Type,
        path: String
    ) -> String? {
        let commands = command.configuration.subcommands.compactMap { command in
            command.configuration.commandName.map { (name: $0, command: command) }
        }
        guard !commands.isEmpty, let word = words.first, !word.hasPrefix("-"), word != "help" else {
            return nil
        }
        if let known = commands.first(where: { $0.name == word }) {
            let path = "\(path) \(known.name)"
            return sentence(for: words.dropFirst(), below: known.command, path: path)
        }
        let nearest = commands.map { ($0.name, distance(word, $0.name)) }.min { $0.1 < $1.1 }
        // If more than half of the letters differ, it is a different word.
        guard let nearest, nearest.1 <= max(1, word.count / 2) else { return nil }
        return "bleota: \(TerminalText.clean(word)) is not a command; did you mean "
            + "\(path) \(nearest.0)?"
    }

    /// The number of insertions, deletions, substitutions and swaps of neighbors that turn one
    /// word into the other.
    static func distance(_ first: String, _ second: String) -> Int {
        let (first, second) = (Array(first), Array(second))
        var rows = [Array(0...second.count)]
        for i in first.indices {
            var row = [i + 1]
            for j in second.indices {
                let change = rows[i][j] + (first[i] == second[j] ? 0 : 1)
                var least = min(change, rows[i][j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, first[i] == second[j - 1], first[i - 1] == second[j] {
                    least = min(least, rows[i - 1][j - 1] + 1)
                }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[first.count][second.count]
    }
}
