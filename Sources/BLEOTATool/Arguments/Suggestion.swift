import ArgumentParser

/// The command that a user probably meant by an unknown name.
enum Suggestion {
    static func sentence(for arguments: [String]) -> String? {
        let words = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
        return sentence(for: words, below: Bleota.self, path: "bleota")
    }

    /// The message about a word that resembles no command.
    static func noCommand(_ word: String) -> String {
        "bleota: \(TerminalText.clean(word)) is not a command; bleota --help lists the commands."
    }

    /// The first word that is in the place of a command but is not a command.
    static func unknown(in words: ArraySlice<String>) -> String? {
        var known = Bleota.configuration.subcommands
        for word in words where !word.hasPrefix("-") && word != "help" {
            guard !known.isEmpty else { return nil }
            guard let next = known.first(where: { $0.configuration.commandName == word }) else {
                return word
            }
            known = next.configuration.subcommands
        }
        return nil
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
        // If more than half of the letters differ, the user meant another word.
        guard let nearest, nearest.1 <= max(1, word.count / 2) else { return nil }
        return "bleota: \(TerminalText.clean(word)) is not a command; did you mean "
            + "\(path) \(nearest.0)?"
    }

    /// The parser's message, corrected where the parser misses what the user meant: it takes a
    /// negative number for an option, and the option with the most similar letters need not be the
    /// one that begins with the word.
    static func corrected(_ message: String, for arguments: [String]) -> String {
        for (option, value) in zip(arguments, arguments.dropFirst())
        where value.first == "-" && value.dropFirst().first?.isNumber == true {
            let missing = "Error: Missing value for '\(option) "
            guard message.hasPrefix(missing) else { continue }
            return "Error: The value '\(value)' is invalid for '\(option) "
                + message.dropFirst(missing.count)
        }
        guard let unknown = message.firstMatch(of: #/Unknown option '(--[a-z-]+)'\./#),
            let meant = options(below: arguments).first(where: { $0.hasPrefix(unknown.1) })
        else { return message }
        let old = message[unknown.range.upperBound...].prefix { $0 != "\n" }
        return message[..<unknown.range.upperBound] + " Did you mean '\(meant)'?"
            + message[old.endIndex...]
    }

    /// The long options of the command that the arguments name, in the order of its help.
    private static func options(below arguments: [String]) -> [String] {
        var command: any ParsableCommand.Type = Bleota.self
        for word in arguments {
            let next = command.configuration.subcommands.first {
                $0.configuration.commandName == word
            }
            guard let next else { break }
            command = next
        }
        return Bleota.helpMessage(for: command).matches(of: #/--[a-z][a-z-]*/#)
            .map { String($0.output) }
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
