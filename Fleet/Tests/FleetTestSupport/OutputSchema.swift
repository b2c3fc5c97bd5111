import Foundation

/// The schema of the lines that `--json` prints, docs/output.schema.json, read strictly: an event
/// or a field that it doesn't list is an error here, so that nothing is printed that it doesn't
/// describe.
package struct OutputSchema: Sendable {
    /// The fields of one shape, and those that must be there.
    fileprivate struct Shape: Sendable {
        let fields: [String: Value]
        let required: Set<String>
    }

    fileprivate enum Value: Sendable {
        case text(pattern: String?)
        case number(minimum: Int)
        case boolean
        case words(Set<String>)
    }

    package static let current: OutputSchema = {
        let package = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { path, _ in
            path.deletingLastPathComponent()
        }
        let path = package.appendingPathComponent("docs/output.schema.json").path
        guard let schema = OutputSchema(TestFolder.read(path) ?? []) else {
            preconditionFailure("\(path) isn't written as this check reads it")
        }
        return schema
    }()

    private let shapes: [String: [Shape]]

    /// The names of the events.
    package var events: Set<String> { Set(shapes.keys) }

    private init?(_ bytes: [UInt8]) {
        guard let schema = Self.object(bytes), let events = schema["allOf"] as? [[String: Any]],
            let shapes = (schema["$defs"] as? [String: [String: Any]])?.compactMapValues({
                Shape($0)
            })
        else { return nil }
        var found: [String: [Shape]] = [:]
        for event in events {
            let properties = (event["if"] as? [String: Any])?["properties"] as? [String: Any]
            let name = (properties?["event"] as? [String: Any])?["const"] as? String
            guard let name, let then = event["then"] as? [String: Any] else { return nil }
            let references = then["anyOf"] as? [[String: Any]] ?? [then]
            let names = references.compactMap { $0["$ref"] as? String }
            let known = names.compactMap { shapes[String($0.split(separator: "/").last ?? "")] }
            guard known.count == references.count, !known.isEmpty else { return nil }
            found[name] = known
        }
        self.shapes = found
    }

    fileprivate static func object(_ bytes: [UInt8]) -> [String: Any]? {
        (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any]
    }

    /// Whether it describes each line of an output.
    package func describes(_ output: String) -> Bool {
        output.split(separator: "\n").allSatisfy { line in
            guard let fields = Self.object(Array(line.utf8)),
                let event = fields["event"] as? String, let shapes = shapes[event]
            else { return false }
            return shapes.contains { $0.describes(fields) }
        }
    }
}

extension OutputSchema.Shape {
    fileprivate init?(_ shape: [String: Any]) {
        guard let required = shape["required"] as? [String],
            let properties = shape["properties"] as? [String: [String: Any]],
            shape["type"] as? String == "object"
        else { return nil }
        fields = properties.compactMapValues { OutputSchema.Value($0) }
        self.required = Set(required)
        guard fields.count == properties.count, self.required.isSubset(of: fields.keys) else {
            return nil
        }
    }

    fileprivate func describes(_ line: [String: Any]) -> Bool {
        required.isSubset(of: line.keys)
            && line.allSatisfy { name, value in fields[name]?.describes(value) == true }
    }
}

extension OutputSchema.Value {
    /// `nil` for a keyword that isn't read here, and so wouldn't be checked.
    fileprivate init?(_ schema: [String: Any]) {
        let known: Set = ["const", "description", "enum", "minimum", "pattern", "type"]
        guard known.isSuperset(of: schema.keys) else { return nil }
        if let word = schema["const"] as? String {
            self = .words([word])
        } else if let words = schema["enum"] as? [String] {
            self = .words(Set(words))
        } else if schema["type"] as? String == "string" {
            self = .text(pattern: schema["pattern"] as? String)
        } else if schema["type"] as? String == "integer", let least = schema["minimum"] as? Int {
            self = .number(minimum: least)
        } else if schema["type"] as? String == "boolean" {
            self = .boolean
        } else {
            return nil
        }
    }

    fileprivate func describes(_ value: Any) -> Bool {
        switch self {
        case .text(let pattern):
            guard let text = value as? String else { return false }
            return pattern.map { text.range(of: $0, options: .regularExpression) != nil } ?? true
        case .number(let minimum): return (value as? Int).map { $0 >= minimum } ?? false
        case .boolean: return value is Bool
        case .words(let words): return (value as? String).map { words.contains($0) } ?? false
        }
    }
}
