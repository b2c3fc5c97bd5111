import ArgumentParser

/// Suggests an existing command to a user who entered an unknown one.
enum Suggestion {
    static func sentence(for arguments: [String]) -> String? {
        let name =
            arguments.first == "help" ? arguments.dropFirst().first : arguments.first
        let commands = Bleota.configuration.subcommands.compactMap { $0.configuration.commandName }
        guard let name, !name.hasPrefix("-"), !commands.contains(name), name != "help" else {
            return nil
        }
        let nearest = commands.map { ($0, distance(name, $0)) }.min { $0.1 < $1.1 }
        // If more than half of the letters differ, a different word was meant.
        guard let nearest, nearest.1 <= max(1, name.count / 2) else { return nil }
        return "bleota: \(TerminalText.clean(name)) is not a command; did you mean "
            + "bleota \(nearest.0)?"
    }

    /// The number of letters to insert, delete, replace or swap with the next one.
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
