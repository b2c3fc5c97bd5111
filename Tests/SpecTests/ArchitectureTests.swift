import BLEOTATestSupport
import Testing

/// docs/architecture.md against the sources.
@Suite("Architecture")
struct ArchitectureTests {
    private let page: String
    private let modules: [String: Set<String>]

    init() throws {
        page = try Repository.text(of: "docs/architecture.md")
        let table = try #require(MarkdownTable(below: "Modules", in: page))
        modules = Dictionary(
            uniqueKeysWithValues: try table.rows.map { row in
                let name = try #require(row[0].firstMatch(of: #/`(\w+)`/#)).1
                return (String(name), Set(row[2].matches(of: #/`(\w+)`/#).map { String($0.1) }))
            }
        )
    }

    @Test("Every module with Swift in it has a row, and imports what that says and nothing else")
    func imports() throws {
        #expect(Set(modules.keys) == SourceLine.modules)
        for (module, allowed) in modules {
            let found = Set(try SourceLine.imports(of: module).map(\.module))
            #expect(found == allowed, "\(module)")
        }
    }

    @Test("The page for embedders says of products what this page says of their modules")
    func products() throws {
        let rows = try #require(MarkdownTable(below: "Modules", in: page)).rows.map { row in
            (row[0].prefix { $0 != "]" }.drop { $0 == "[" }, row[1])
        }
        let told = Dictionary(uniqueKeysWithValues: rows)
        let embed = try Repository.text(of: "docs/embed.md")
        let products = try #require(MarkdownTable(below: "Products", in: embed)).rows
        #expect(products.count > 5)
        for product in products { #expect(told[product[0][...]] == product[1], "\(product[0])") }
    }

    @Test("Imports go one way")
    func circles() {
        var left = modules.mapValues { $0.intersection(modules.keys) }
        while let lowest = left.first(where: { $0.value.isEmpty })?.key {
            left[lowest] = nil
            left = left.mapValues { $0.subtracting([lowest]) }
        }
        #expect(left.isEmpty)
    }

    @Test("The rooms of the core are its folders")
    func rooms() throws {
        let table = try #require(MarkdownTable(below: "Rooms", in: page))
        let told = Set(table.rows.map { $0[0].replacing("`", with: "") })
        let sources = Repository.files(below: "Sources/BLEOTACore", ending: ".swift")
        let folders = sources.map { $0.split(separator: "/") }.filter { $0.count > 3 }.map { $0[2] }
        #expect(told == Set(folders.map(String.init)))
    }
}
