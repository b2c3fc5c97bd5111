import BLEOTASimulation
import Foundation

/// Writes what a transfer makes of simulated links, with and without response, into a folder:
/// `write-modes.md` and `write-modes.json`, and `new-radios.md` and `new-radios.json`, as they are
/// committed.
///
///     WriteModes Benchmarks/Results
@main
struct WriteModes {
    static func main() async throws {
        guard CommandLine.arguments.count == 2 else {
            print("usage: WriteModes FOLDER")
            return
        }
        let folder = URL(fileURLWithPath: CommandLine.arguments[1])
        let results = await WriteModeResults(of: WriteModeGrid.committed)
        let newRadios = await WriteModeResults(of: WriteModeGrid.newRadios)
        for (name, text) in [
            ("write-modes.md", WriteModeSummary(results).markdown),
            ("write-modes.json", results.json),
            ("new-radios.md", NewRadioSummary(newRadios).markdown),
            ("new-radios.json", newRadios.json),
        ] {
            let file = folder.appendingPathComponent(name)
            try text.write(to: file, atomically: true, encoding: .utf8)
            print(file.path)
        }
    }
}
