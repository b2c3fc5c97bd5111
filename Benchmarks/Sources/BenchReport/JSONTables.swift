import Foundation

/// What a file of JSON holds, as facts and tables: lists of objects are tables, what stands alone
/// is a fact. Objects within become names with points.
struct JSONTables {
    struct Table {
        let name: String
        let columns: [String]
        let rows: [[String]]
    }

    private(set) var facts: [(name: String, value: String)] = []
    private(set) var tables: [Table] = []

    init(_ text: String) throws {
        let value = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        let order = KeyOrder(text)
        take(value, named: "", order)
    }

    private mutating func take(_ value: JSONValue, named name: String, _ order: KeyOrder) {
        switch value {
        case .object(let members):
            for (key, member) in order.sorted(members) {
                take(member, named: name.isEmpty ? key : "\(name).\(key)", order)
            }
        case .array(let elements) where elements.contains(where: \.isObject):
            let rows = elements.map { Self.flat($0, "", order) }
            var columns: [String] = []
            for row in rows {
                for (name, _) in row where !columns.contains(name) { columns.append(name) }
            }
            tables.append(
                Table(
                    name: name,
                    columns: columns,
                    rows: rows.map { row in
                        columns.map { column in row.first { $0.name == column }?.value ?? "" }
                    }
                )
            )
        default: facts.append((name, value.text))
        }
    }

    private static func flat(
        _ value: JSONValue,
        _ name: String,
        _ order: KeyOrder
    ) -> [(name: String, value: String)] {
        guard case .object(let members) = value else { return [(name, value.text)] }
        return order.sorted(members).flatMap {
            flat($1, name.isEmpty ? $0 : "\(name).\($0)", order)
        }
    }

    /// The order in which the keys of objects are first written, which decoding loses.
    private struct KeyOrder {
        let text: String

        init(_ text: String) { self.text = text }

        func sorted(_ members: [String: JSONValue]) -> [(String, JSONValue)] {
            members.map { ($0.key, $0.value, text.range(of: "\"\($0.key)\"")?.lowerBound) }
                .sorted { ($0.2 ?? text.endIndex, $0.0) < ($1.2 ?? text.endIndex, $1.0) }
                .map { ($0.0, $0.1) }
        }
    }
}
