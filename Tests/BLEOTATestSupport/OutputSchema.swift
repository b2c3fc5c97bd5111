import Foundation

/// The published schema of the lines that `--json` prints, docs/output.schema.json, read strictly.
///
/// The published schema allows events and fields that it does not list. Here, these are errors, so
/// that the tool prints nothing without a description.
package struct OutputSchema: Sendable {
    package static let path = "docs/output.schema.json"

    /// The schema of this version.
    package static let current: OutputSchema = {
        do {
            return try OutputSchema(text: Repository.text(of: path))
        } catch {
            preconditionFailure("\(path): \(error)")
        }
    }()

    /// The shapes that the lines of an event may have, by the name of the event.
    package let shapes: [String: [Shape]]

    package init(text: String) throws {
        let schema = try JSONDecoder().decode(Document.self, from: Data(text.utf8))
        shapes = try schema.allOf.reduce(into: [:]) { shapes, branch in
            let references = branch.then.anyOf ?? [branch.then]
            shapes[branch.condition.properties.event.const] = try references.map { reference in
                guard let name = reference.ref?.split(separator: "/").last,
                    let shape = schema.shapes[String(name)]
                else { throw UnexpectedOutput(description: "a dead reference: \(reference)") }
                return shape
            }
        }
    }

    /// Checks the lines of an output, the first few of each event.
    ///
    /// - Throws: ``UnexpectedOutput`` for the first line that the schema does not describe.
    package func check(_ output: String) throws {
        // The last line may have been cut short by a signal.
        guard let end = output.lastIndex(of: "\n") else { return }
        var counts: [Substring: Int] = [:]
        for line in output[..<end].split(separator: "\n") {
            counts[line.prefix { $0 != "," }, default: 0] += 1
            guard counts[line.prefix { $0 != "," }]! <= Self.repetitionCountMax else { continue }
            let problems = problems(of: String(line))
            guard problems.isEmpty else {
                throw UnexpectedOutput(
                    description: "\(line)\n\(problems.joined(separator: "\n"))"
                )
            }
        }
    }

    private static let repetitionCountMax = 20

    /// What is wrong with a line; empty if the schema describes it.
    package func problems(of line: String) -> [String] {
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(line.utf8)),
            case .object(let fields) = value
        else { return ["not an object"] }
        guard case .string(let event)? = fields["event"] else { return ["no event"] }
        guard let shapes = shapes[event] else { return ["an unknown event"] }
        let problems = shapes.map { $0.problems(of: value, at: event) }
        return problems.contains([]) ? [] : problems.flatMap { $0 }
    }

    // MARK: - The form of the document

    private struct Document: Decodable {
        let allOf: [Branch]
        let shapes: [String: Shape]

        enum CodingKeys: String, CodingKey {
            case allOf
            case shapes = "$defs"
        }
    }

    private struct Branch: Decodable {
        let condition: Condition
        let then: Reference

        enum CodingKeys: String, CodingKey {
            case condition = "if"
            case then
        }
    }

    private struct Condition: Decodable {
        let properties: Properties

        struct Properties: Decodable { let event: Event }
        struct Event: Decodable { let const: String }
    }

    private struct Reference: Decodable {
        let ref: String?
        let anyOf: [Reference]?

        enum CodingKeys: String, CodingKey {
            case ref = "$ref"
            case anyOf
        }
    }
}

extension OutputSchema {
    /// The schema of a value: the keywords that the document uses.
    package indirect enum Shape: Sendable {
        case object(fields: [String: Shape], required: Set<String>, others: Shape?)
        case array(of: Shape)
        case oneOf(values: [JSONValue])
        case scalar(types: Set<String>, minimum: Double?, pattern: String?)

        /// What is wrong with a value.
        package func problems(of value: JSONValue, at path: String) -> [String] {
            switch (self, value) {
            case (.object(let fields, let required, let others), .object(let found)):
                return required.subtracting(found.keys).map { "\(path).\($0) is missing" }
                    + found.flatMap { name, value in
                        guard let shape = fields[name] ?? others else {
                            return ["\(path).\(name) is unknown"]
                        }
                        return shape.problems(of: value, at: "\(path).\(name)")
                    }
            case (.array(let shape), .array(let values)):
                return values.flatMap { shape.problems(of: $0, at: path) }
            case (.oneOf(let values), _):
                return values.contains(value) ? [] : ["\(path) is \(value)"]
            case (.scalar(let types, let minimum, let pattern), _):
                guard types.contains(where: value.has) else { return ["\(path) is \(value)"] }
                if let minimum, let number = value.number, number < minimum {
                    return ["\(path) is \(number)"]
                }
                if let pattern, case .string(let text) = value,
                    text.range(of: pattern, options: .regularExpression) == nil
                {
                    return ["\(path) is \(text)"]
                }
                return []
            default: return ["\(path) is \(value)"]
            }
        }
    }
}

extension OutputSchema.Shape: Decodable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case type, properties, required, additionalProperties, items, const
        case values = "enum"
        case minimum, pattern, description
    }

    package init(from decoder: any Decoder) throws {
        // A keyword that is not read here would not be checked.
        let known = Set(CodingKeys.allCases.map(\.rawValue))
        for key in try decoder.container(keyedBy: AnyKey.self).allKeys
        where !known.contains(key.stringValue) {
            throw UnexpectedOutput(description: "an unknown keyword: \(key.stringValue)")
        }
        let schema = try decoder.container(keyedBy: CodingKeys.self)
        if schema.contains(.const) {
            self = .oneOf(values: [try schema.decode(JSONValue.self, forKey: .const)])
            return
        }
        if let values = try schema.decodeIfPresent([JSONValue].self, forKey: .values) {
            self = .oneOf(values: values)
            return
        }
        let types: Set<String>
        if let type = try? schema.decode(String.self, forKey: .type) {
            types = [type]
        } else {
            types = Set(try schema.decode([String].self, forKey: .type))
        }
        switch types {
        case ["object"]:
            self = .object(
                fields: try schema.decodeIfPresent([String: Self].self, forKey: .properties) ?? [:],
                required: Set(try schema.decodeIfPresent([String].self, forKey: .required) ?? []),
                others: try schema.decodeIfPresent(Self.self, forKey: .additionalProperties)
            )
        case ["array"]: self = .array(of: try schema.decode(Self.self, forKey: .items))
        default:
            self = .scalar(
                types: types,
                minimum: try schema.decodeIfPresent(Double.self, forKey: .minimum),
                pattern: try schema.decodeIfPresent(String.self, forKey: .pattern)
            )
        }
    }
}

private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// A value of JSON, with numbers and truth values told apart.
package indirect enum JSONValue: Decodable, Hashable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    package init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let text = try? value.decode(String.self) {
            self = .string(text)
        } else if let values = try? value.decode([JSONValue].self) {
            self = .array(values)
        } else {
            self = .object(try value.decode([String: JSONValue].self))
        }
    }

    var number: Double? {
        guard case .number(let number) = self else { return nil }
        return number
    }

    /// Whether the value has a type of JSON Schema.
    func has(_ type: String) -> Bool {
        switch (type, self) {
        case ("null", .null), ("boolean", .bool), ("number", .number), ("string", .string): true
        case ("integer", .number(let number)): number.rounded() == number
        default: false
        }
    }
}

/// A command printed a line that the published schema does not describe.
package struct UnexpectedOutput: Error, CustomStringConvertible {
    package let description: String
}
