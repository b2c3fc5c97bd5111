import Foundation
import Testing

/// A line of `--json`.
struct PrintedEvent {
    let name: String
    private let fields: [String: Any]

    /// Parses what a process has printed: each line must be an object with the name of an event.
    static func parse(_ output: [UInt8]) throws -> [PrintedEvent] {
        let text = try #require(String(validating: output, as: UTF8.self))
        return try text.split(separator: "\n").map { line in
            let value = try? JSONSerialization.jsonObject(with: Data(line.utf8))
            let fields = try #require(value as? [String: Any], "\(line)")
            return PrintedEvent(
                name: try #require(fields["event"] as? String, "\(line)"),
                fields: fields
            )
        }
    }

    func number(_ field: String) -> Int? { fields[field] as? Int }
}
