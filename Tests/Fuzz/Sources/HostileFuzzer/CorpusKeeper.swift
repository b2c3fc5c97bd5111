import Foundation
import FuzzTargets

/// Adds to a corpus what was found and shows an exchange that the corpus does not show, the
/// shortest inputs first.
enum CorpusKeeper {
    /// - Parameter found: files that libFuzzer named by a hash of their content.
    /// - Returns: how many inputs were kept.
    static func keep(from found: URL, in corpus: URL) async throws -> Int {
        var shown: Set<Exchange> = []
        for input in try inputs(in: corpus) { await shown.formUnion(Exchange.all(in: input.bytes)) }
        var keptCount = 0
        for input in try inputs(in: found) {
            let exchanges = await Exchange.all(in: input.bytes)
            guard !exchanges.isSubset(of: shown) else { continue }
            shown.formUnion(exchanges)
            try Data(input.bytes).write(to: corpus.appending(path: input.name))
            keptCount += 1
        }
        return keptCount
    }

    private static func inputs(in folder: URL) throws -> [(name: String, bytes: [UInt8])] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .map { ($0.lastPathComponent, Array(try Data(contentsOf: $0))) }
            .sorted { ($0.bytes.count, $0.name) < ($1.bytes.count, $1.name) }
    }
}
