import BLEOTATestSupport
import Testing

/// The documentation catalogues, Sources/MODULE/MODULE.docc, against the sources.
@Suite("Documentation catalogues")
struct CatalogueTests {
    /// Its functions are for C, which DocC does not document; bleota_receiver.h does.
    private static let undocumented: Set<String> = ["BLEOTAReceiverC"]

    @Test("Every library product for Swift has a catalogue, and no other module has one")
    func products() throws {
        let package = try Repository.text(of: "Package.swift")
        let products = Set(package.matches(of: #/\.library\(name: "(\w+)"/#).map { String($0.1) })
        #expect(products.count > 10)
        #expect(Set(Self.modules()) == products.subtracting(Self.undocumented))
    }

    @Test("The topics of a module name every public type of it once, and nothing else")
    func topics() throws {
        for module in Self.modules() {
            let page = try Repository.text(of: "Sources/\(module)/\(module).docc/\(module).md")
            let topics = try #require(page.split(separator: "\n## Topics\n").last)
            let named = topics.matches(of: #/(?m)^- ``(\w+)``$/#).map { String($0.1) }
            #expect(named.count == Set(named).count, "\(module)")
            let types = try Self.publicTypes(of: module)
            expectNone(types.subtracting(named).sorted(), "types that \(module) leaves out")
            expectNone(Set(named).subtracting(types).sorted(), "names that \(module) lacks")
        }
    }

    @Test("The Swift Package Index builds the documentation of the same modules")
    func packageIndex() throws {
        let list = try Repository.text(of: ".spi.yml").matches(of: #/(?m)^ +- (\w+)$/#)
        #expect(list.map { String($0.1) }.sorted() == Self.modules().sorted())
    }

    private static func modules() -> [String] {
        Repository.files(below: "Sources", ending: ".md").compactMap {
            $0.wholeMatch(of: #/Sources/(\w+)/(\w+)\.docc/(\w+)\.md/#)
        }
        .filter { $0.1 == $0.2 && $0.2 == $0.3 }.map { String($0.1) }
    }

    /// Nested types belong to the page of the type they are in.
    private static func publicTypes(of module: String) throws -> Set<String> {
        let kinds = #/(?m)^public (?:final |indirect )?(?:struct|enum|class|actor|protocol) (\w+)/#
        return Set(
            try Repository.files(below: "Sources/\(module)", ending: ".swift").flatMap { path in
                try Repository.text(of: path).matches(of: kinds).map { String($0.1) }
            }
        )
    }
}
