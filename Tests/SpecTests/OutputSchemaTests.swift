import BLEOTATestSupport
import Testing

/// docs/output.schema.json against the sources, and against the schemas of earlier versions.
///
/// Beyond that, every test that runs the tool with `--json` checks each line it prints
/// (``OutputSchema/check(_:)``).
@Suite("The schema of --json")
struct OutputSchemaTests {
    @Test("The schema has every event that the tool can print, and no other")
    func events() throws {
        var printed: Set<String> = []
        for call in try sources().matches(of: #/JSONLine\(event: ([^)]*)\)/#) {
            printed.formUnion(call.1.matches(of: #/"(\w+)"/#).map { String($0.1) })
        }
        #expect(printed.count > 30)
        #expect(printed == Set(OutputSchema.current.shapes.keys))
    }

    @Test("The schema has every field that the tool can print")
    func fields() throws {
        let known = OutputSchema.current.shapes.values.joined().reduce(into: Set<String>()) {
            if case .object(let fields, _, _) = $1 { $0.formUnion(fields.keys) }
        }
        let printed = try sources().matches(of: #/\.adding\(\s*"(\w+)",/#).map { String($0.1) }
        #expect(printed.count > 100)
        expectNone(Set(printed).subtracting(known).sorted(), "fields without a schema")
    }

    @Test("A line that the schema does not describe is found")
    func strangeLines() {
        let schema = OutputSchema.current
        let right = #"{"event":"value","uuid":"2a00","value":"00ff"}"#
        #expect(schema.problems(of: right) == [])
        for wrong in [
            #"{"event":"valu","uuid":"2a00","value":"00ff"}"#,
            #"{"event":"value","value":"00ff"}"#,
            #"{"event":"value","uuid":"2a00","value":"00ff","more":1}"#,
            #"{"event":"value","uuid":5,"value":"00ff"}"#,
            #"{"event":"value","uuid":"2a00","value":"0"}"#,
            #"{"event":"written","bytes":-1}"#,
            #"{"event":"written","bytes":true}"#,
            #"{"event":"finding","grade":"bad","subject":"","found":"","remedy":null}"#,
            #"{"bytes":1}"#, "[]", "{",
        ] {
            #expect(schema.problems(of: wrong) != [], "\(wrong)")
        }
        #expect(throws: UnexpectedOutput.self) { try schema.check("{}\n") }
        // Nothing is right, and what a signal has cut short is no line.
        #expect(throws: Never.self) { try schema.check("") }
        #expect(throws: Never.self) { try schema.check("\(right)\n{\"ev") }
    }

    @Test("What a version has published stays: events, fields and their types")
    func published() throws {
        let published = Repository.files(below: "Tests/Frozen", ending: "/output.schema.json")
        #expect(!published.isEmpty)
        for path in published {
            let old = try OutputSchema(text: Repository.text(of: path))
            expectNone(Self.lost(of: old, in: .current), "of \(path) is lost")
        }
    }

    @Test("A field that goes, or changes its type, is found")
    func lost() throws {
        let text = try Repository.text(of: OutputSchema.path)
        let old = try OutputSchema(text: text)
        let uuid = #""required": ["event", "uuid", "value"]"#
        for (this, that) in [
            (uuid, #""required": ["event", "value"]"#),
            (#""const": "watching""#, #""const": "watched""#),
            (#""rssi": {"type": ["integer", "null"]}"#, #""rssi": {"type": "string"}"#),
            (#"["ok", "note", "problem"]"#, #"["ok", "note"]"#),
            (#"["ok", "note", "problem"]"#, #"["ok", "note", "problem", "x"]"#),
        ] {
            #expect(text.contains(this))
            let new = try OutputSchema(text: text.replacing(this, with: that))
            #expect(!Self.lost(of: old, in: new).isEmpty, "\(that)")
        }
        #expect(Self.lost(of: old, in: old).isEmpty)
    }

    // MARK: - Helpers

    private func sources() throws -> String {
        try Repository.files(below: "Sources/BLEOTATool", ending: ".swift")
            .map(Repository.text(of:)).joined()
    }

    /// The shapes of an older schema that a newer one does not keep. It may add events, and fields
    /// to an event.
    private static func lost(of old: OutputSchema, in new: OutputSchema) -> [String] {
        old.shapes.flatMap { event, shapes in
            shapes.filter { shape in
                !(new.shapes[event] ?? []).contains { $0.keeps(shape) }
            }
            .map { "\(event): \($0)" }
        }
    }
}

extension OutputSchema.Shape {
    /// Whether a consumer that was written for the older shape can read all values of this one.
    fileprivate func keeps(_ old: Self) -> Bool {
        switch (self, old) {
        case (
            .object(let fields, let required, let others),
            .object(let oldFields, let oldRequired, let oldOthers)
        ):
            let keepsOthers =
                switch (others, oldOthers) {
                case (nil, nil): true
                case (let others?, let oldOthers?): others.keeps(oldOthers)
                default: false
                }
            return keepsOthers && required.isSuperset(of: oldRequired)
                && oldFields.allSatisfy { name, shape in fields[name]?.keeps(shape) ?? false }
        case (.array(let shape), .array(let oldShape)): return shape.keeps(oldShape)
        case (.oneOf(let values), .oneOf(let oldValues)): return Set(values) == Set(oldValues)
        case (.scalar(let types, let minimum, _), .scalar(let oldTypes, let oldMinimum, _)):
            return types.isSubset(of: oldTypes)
                && (minimum ?? -.infinity) >= (oldMinimum ?? -.infinity)
        default: return false
        }
    }
}
