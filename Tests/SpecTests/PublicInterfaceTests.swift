import BLEOTATestSupport
import Testing

/// docs/api.md against the sources.
@Suite("The public interface")
struct PublicInterfaceTests {
    private static let folder = "Sources/BLEOTA/API/"

    @Test("The tables name every public type, and nothing else")
    func types() throws {
        let page = try Repository.text(of: "docs/api.md")
        let headings = page.matches(of: #/(?m)^## (Types .+)$/#).map { String($0.1) }
        #expect(headings.count == 4)
        var told: [String] = []
        for heading in headings {
            let table = try #require(MarkdownTable(below: heading, in: page))
            told += table.rows.map { $0[0].replacing("`", with: "") }
        }
        #expect(told.count == Set(told).count)
        #expect(Set(told) == Set(try publicTypes().map(\.name)))
    }

    @Test("Every public type is in the folder of the interface")
    func folder() throws {
        let elsewhere = try publicTypes().filter { !$0.path.hasPrefix(Self.folder) }
        #expect(elsewhere.isEmpty)
    }

    /// Nested types belong to the type they are in.
    private func publicTypes() throws -> [(name: String, path: String)] {
        var found: [(name: String, path: String)] = []
        for path in Repository.files(below: "Sources/BLEOTA", ending: ".swift") {
            let text = try Repository.text(of: path)
            let pattern = #/(?m)^public (?:final )?(?:struct|enum|class|actor|protocol) (\w+)/#
            found += text.matches(of: pattern).map { (String($0.1), path) }
        }
        return found
    }
}
