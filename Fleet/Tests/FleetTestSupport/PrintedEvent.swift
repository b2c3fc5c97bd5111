import Foundation

/// A line of `--json`.
package struct PrintedEvent {
    package let name: String
    private let fields: [String: Any]

    /// Parses what a process has printed: each line must be one that ``OutputSchema`` describes.
    package static func parse(_ output: [UInt8]) throws -> [PrintedEvent] {
        try String(decoding: output, as: UTF8.self).split(separator: "\n").map { line in
            let value = try? JSONSerialization.jsonObject(with: Data(line.utf8))
            guard let fields = value as? [String: Any], let name = fields["event"] as? String,
                OutputSchema.current.describes(String(line))
            else {
                throw ChildProcess.Failure(description: "not an event: \(line)")
            }
            return PrintedEvent(name: name, fields: fields)
        }
    }

    package func number(_ field: String) -> Int? { fields[field] as? Int }
    package func text(_ field: String) -> String? { fields[field] as? String }
}
