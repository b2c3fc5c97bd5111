import BLEOTATestSupport
import Testing

/// Every sentence of the specification with MUST is cited by the code that keeps it and by a test
/// that proves it.
@Suite("Coverage of the requirements")
struct RequirementCoverageTests {
    /// Where citations are looked for.
    private enum Side: String, CaseIterable {
        case sources = "Sources"
        case tests = "Tests"
    }

    /// A row of spec/exceptions.md.
    private struct Exception {
        let tag: RequirementTag?
        let side: Side?
        let reason: String
        let row: String
    }

    @Test("Every sentence with MUST has a tag")
    func everyMustIsTagged() throws {
        expectNone(try Specification().untagged, "sentences without a tag")
    }

    /// A rule stands where it belongs, and a later one has a higher number wherever that is.
    @Test("Tags are unique, and those of a prefix count from 1 without gaps")
    func tagsCount() throws {
        let byPrefix = Dictionary(
            grouping: try Specification().requirements.map(\.tag),
            by: \.prefix
        )
        for (prefix, tags) in byPrefix {
            #expect(tags.map(\.number).sorted() == Array(1...tags.count), "\(prefix)")
        }
        #expect(byPrefix.count > 10)
    }

    @Test("Every MUST is cited in Sources and in Tests, or excepted", arguments: Side.allCases)
    private func everyMustIsCited(side: Side) throws {
        let cited = Set(try citations(side).map(\.tag))
        let excepted = Set(try exceptions().filter { $0.side == side }.compactMap(\.tag))
        let missing = try Specification().requirements.filter {
            $0.isMandatory && !cited.contains($0.tag) && !excepted.contains($0.tag)
        }
        expectNone(
            missing.map { "  [\($0.tag)] \($0.text.prefix(110))" },
            "not cited in \(side.rawValue)"
        )
    }

    @Test(
        "Every citation names a requirement, in a line of the right form",
        arguments: Side.allCases
    )
    private func citationsAreKnown(side: Side) throws {
        let known = Set(try Specification().requirements.map(\.tag))
        let unknown = try citations(side).filter { !known.contains($0.tag) }
        expectNone(unknown.map { "\($0.place): \($0.tag)" }, "citations of unknown requirements")
        expectNone(try Citation.collect(below: side.rawValue).stray, "lines that cite nothing")
    }

    @Test("What a citation quotes is what the requirement says", arguments: Side.allCases)
    private func quotesAreVerbatim(side: Side) throws {
        let specification = try Specification()
        let drifted = try citations(side).filter { citation in
            guard let text = citation.text,
                let requirement = specification.requirement(citation.tag)
            else { return false }
            return !requirement.text.contains(text)
        }
        let lines = drifted.map { citation in
            let says = specification.requirement(citation.tag)?.text ?? ""
            return "\(citation.place): \(citation.tag)\n    quoted: \(citation.text ?? "")\n"
                + "    reads:  \(says)"
        }
        expectNone(lines, "quotes drifted")
    }

    @Test("Every exception has a requirement, a side and a reason, and is needed")
    func exceptionsAreNeeded() throws {
        let known = Dictionary(
            uniqueKeysWithValues: try Specification().requirements.map { ($0.tag, $0) }
        )
        for exception in try exceptions() {
            guard let tag = exception.tag, let side = exception.side, !exception.reason.isEmpty,
                let requirement = known[tag]
            else {
                Issue.record("spec/exceptions.md: \(exception.row)")
                continue
            }
            #expect(requirement.isMandatory, "\(tag) has no MUST and needs no exception")
            let isCited = try citations(side).contains { $0.tag == tag }
            #expect(!isCited, "\(tag) is cited in \(side.rawValue) and needs no exception")
        }
    }

    @Test("A paragraph with two tags, a reference and a citation over lines are read as meant")
    func reading() {
        let first = """
            ## 1. Terms
            Here MUST is explained.
            ## 2. Rules
            [ONE-1] An end MUST go, as
            [ONE-2] says. [ONE-2] An end SHOULD stay.

            It MUST be tagged.
            """
        let second = "# Files\n\n[TWO-1] A file MUST end."
        let specification = Specification(documents: [first, second])
        let tags = specification.requirements.map(\.tag.description)
        #expect(tags == ["ONE-1", "ONE-2", "TWO-1"])
        let texts = specification.requirements.map(\.text)
        #expect(
            texts == [
                "An end MUST go, as [ONE-2] says.", "An end SHOULD stay.", "A file MUST end.",
            ]
        )
        #expect(specification.requirements.map(\.isMandatory) == [true, false, true])
        #expect(specification.untagged == ["It MUST be tagged."])

        let marker = "//" + "= "
        let source = ["ONE-1: An end MUST", "SHA-256 too", "TWO-2"].map { "  \(marker)\($0)" }
        let lines = source + ["let a = 1", marker + "lost"]
        let (citations, stray) = Citation.collect(
            in: lines.joined(separator: "\n"),
            path: "A.swift"
        )
        #expect(citations.map(\.text) == ["An end MUST SHA-256 too", nil])
        #expect(citations.map(\.place) == ["A.swift:1", "A.swift:3"])
        #expect(stray == ["A.swift:5: lost"])
    }

    private func citations(_ side: Side) throws -> [Citation] {
        try Citation.collect(below: side.rawValue).citations
    }

    private func exceptions() throws -> [Exception] {
        let table = MarkdownTable(
            below: "Exceptions",
            in: try Repository.text(of: "spec/exceptions.md")
        )
        guard let table, table.header == ["tag", "where", "reason"] else {
            Issue.record("spec/exceptions.md has no table | tag | where | reason |")
            return []
        }
        return table.rows.map { row in
            let cells = row + ["", "", ""]
            return Exception(
                tag: RequirementTag(cells[0]),
                side: Side(rawValue: cells[1]),
                reason: cells[2],
                row: row.joined(separator: " | ")
            )
        }
    }
}
