import Foundation

/// Prints what happens, with the seconds since the beginning.
final class Teller: Sendable {
    private let beginning = ContinuousClock.now

    /// The seconds since the beginning.
    var seconds: Int64 { beginning.duration(to: .now).components.seconds }

    func tell(_ sentence: String) {
        let number = "\(seconds)"
        Self.print(
            String(repeating: " ", count: max(0, 4 - number.count)) + "\(number) s  \(sentence)"
        )
    }

    func more(_ sentence: String) { Self.print("        \(sentence)") }

    /// Prints a command, in as many lines as it needs.
    func command(_ words: [String]) {
        // An option stays beside its value.
        let parts = words.reduce(into: [String]()) { parts, word in
            if let last = parts.last, last.hasPrefix("--"), !last.contains(" "),
                !word.hasPrefix("--")
            {
                parts[parts.count - 1] += " " + word
            } else {
                parts.append(word)
            }
        }
        var line = "$ bleota-fleet"
        for part in parts {
            if line.count + part.count > 68 {
                more(line + " \\")
                line = "   "
            }
            line += " " + part
        }
        more(line)
    }

    /// Prints a line at once, also into a pipe.
    static func print(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}
