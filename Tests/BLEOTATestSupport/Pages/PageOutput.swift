/// Compares what a command prints with what a page shows.
struct PageOutput {
    /// Whether figures of time stay as they are.
    let isRepeatable: Bool
    /// Whether the image is the one of which the pages show lengths and hashes.
    let isFirmwareReal: Bool

    /// Whether the lines are the same but for what differs between two runs. A line `…` of the page
    /// stands for any number of lines.
    func matches(_ shown: [String], _ found: [String]) -> Bool {
        Self.matches(shown.map(masked)[...], found.map(masked)[...])
    }

    private static func matches(_ shown: ArraySlice<String>, _ found: ArraySlice<String>) -> Bool {
        guard let first = shown.first else { return found.isEmpty }
        if first == "…" {
            return (found.startIndex...found.endIndex).contains { start in
                matches(shown.dropFirst(), found[start...])
            }
        }
        return first == found.first && matches(shown.dropFirst(), found.dropFirst())
    }

    /// The line with a word in place of each part that differs between two runs.
    func masked(_ line: String) -> String {
        var line = line.replacing(#/^took .*/#, with: "took TIME")
        if !isRepeatable {
            line = line.replacing(#/[\d.,]+ [kMG]?B\/s/#, with: "RATE")
                .replacing(#/\b[\d.,]+ (ms|s|min|h)\b/#, with: "TIME")
                .replacing(#/\b[\d,]+ of [\d,]+ frames/#, with: "N of N frames")
                .replacing(#/--seed \d+/#, with: "--seed N")
                .replacing(#/at byte [\d,]+/#, with: "at byte N")
                .replacing(#/\b[0-9a-f]{16}\b/#, with: "KEY")
                .replacing(#/\b([0-9A-F]{2}:){5}[0-9A-F]{2}\b/#, with: "ADDRESS")
                // Of a device that was connected before, the daemon knows more services.
                .replacing(#/^ADDRESS +-?\d+ +(\S+) +bleota.*/#) { "ADDRESS RSSI \($0.1) bleota" }
        }
        if !isFirmwareReal {
            line = line.replacing(#/\b[0-9a-f]{64}\b/#, with: "HASH")
                .replacing(#/\b[\d,]+ bytes\b/#, with: "N bytes")
        }
        // Columns are as wide as what is in them.
        return line.split(separator: " ").joined(separator: " ")
    }
}
