import BLEOTATestSupport
import Testing

/// The code that documents show is a part of the programs in Examples/, which scripts/examples.sh
/// builds and runs.
@Suite("Examples")
struct ExampleTests {
    /// Longer blocks in documentation comments are cut from examples; shorter ones show a call.
    private static let ownLineCountMax = 5
    private let regions: [ExampleRegion]

    init() throws {
        regions = try ExampleRegion.all()
    }

    @Test("Every block of Swift in the README is a region of an example")
    func readme() throws {
        let blocks = swiftBlocks(in: try Repository.text(of: "README.md"))
        let (manifest, code) = (blocks.first, blocks.dropFirst())
        #expect(code.count >= 4)
        let texts = Set(regions.map(\.text))
        expectNone(code.filter { !texts.contains($0) }, "blocks")
        // The first one shows lines of a manifest, with the address in place of the path.
        let product = try #require(manifest?.split(separator: "\n").last)
        #expect(try Repository.text(of: "Examples/Push/Package.swift").contains(product))
    }

    @Test("Every longer block in the documentation of the interface is a region of an example")
    func documentation() throws {
        let folders = ["BLEOTA/API", "BLEOTABlueZ/API", "BLEOTATransportTesting"]
        let texts = Set(regions.map(\.text))
        for path in folders.flatMap({ Repository.files(below: "Sources/\($0)", ending: ".swift") })
        {
            let comments = try Repository.text(of: path).split(separator: "\n")
                .map(\.trimmingCharacters).filter { $0.hasPrefix("///") }
                .map {
                    String($0.dropFirst(3).prefix(1) == " " ? $0.dropFirst(4) : $0.dropFirst(3))
                }
            let long = swiftBlocks(in: comments.joined(separator: "\n")).filter {
                $0.split(separator: "\n").count > Self.ownLineCountMax
            }
            expectNone(long.filter { !texts.contains($0) }, "blocks of \(path)")
        }
    }

    @Test("Every region is shown somewhere, and has a name of its own")
    func regionsInUse() throws {
        #expect(Set(regions.map(\.name)).count == regions.count)
        let sources = try Repository.files(below: "Sources", ending: ".swift")
            .map(Repository.text(of:))
            .map { $0.replacing(#/ *\/\/\/ ?/#, with: "") }
        let texts = sources + [try Repository.text(of: "README.md")]
        let unused = regions.filter { region in !texts.contains { $0.contains(region.text) } }
        expectNone(unused.map { "\($0.path): \($0.name)" }, "regions")
    }

    @Test("Each example is one file of at most 130 lines, and has its package")
    func size() throws {
        let files = Repository.files(below: "Examples", ending: ".swift")
        for example in Set(files.map { $0.split(separator: "/")[1] }) {
            let expected = ["Package.swift", "\(example).swift"]
            #expect(
                files.filter { $0.hasPrefix("Examples/\(example)/") }.map {
                    String($0.split(separator: "/").last!)
                } == expected
            )
            #expect(try SourceLine.all(of: "Examples/\(example)/\(example).swift").count <= 130)
        }
    }
}
