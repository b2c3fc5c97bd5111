import BLEOTATestSupport
import Testing

/// The code that documents show is a part of the programs in Examples/, which scripts/examples.sh
/// builds and runs.
@Suite("Examples")
struct ExampleTests {
    /// Longer blocks in documentation comments and catalogues are cut from examples; shorter ones
    /// show a call.
    private static let ownLineCountMax = 5
    private static let cataloguePages = Repository.files(below: "Sources", ending: ".md")
    private let regions: [ExampleRegion]

    init() throws {
        regions = try ExampleRegion.all()
    }

    @Test("Every block of Swift in README and docs is a region of an example, or of a manifest")
    func pages() throws {
        let blocks = try PageBlock.pages.flatMap { swiftBlocks(in: try Repository.text(of: $0)) }
        let manifests = blocks.filter { $0.hasPrefix("// Package.swift\n") }
        let code = Set(blocks).subtracting(manifests)
        #expect(code.count >= 6)
        let texts = Set(regions.map(\.text))
        expectNone(code.filter { !texts.contains($0) }, "blocks")
        let manifest = try Repository.files(below: "Examples", ending: "Package.swift")
            .map(Repository.text(of:)).joined()
        for product in manifests.flatMap({ $0.split(separator: "\n") })
        where product.hasPrefix(".product") {
            #expect(manifest.contains(product))
        }
    }

    @Test("Every line of C in README and docs is one of the device for Linux")
    func linesOfC() throws {
        let device = Set(
            try Repository.text(of: "Embedded/Guides/linux/device.c").split(separator: "\n")
                .map(\.trimmingCharacters)
        )
        let lines = try PageBlock.pages.flatMap(PageBlock.all).filter { $0.language == "c" }
            .flatMap(\.lines).map(\.trimmingCharacters)
        #expect(!lines.isEmpty)
        expectNone(lines.filter { !device.contains($0) }, "lines")
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

    @Test("Every longer block in a documentation catalogue is a region of an example")
    func catalogues() throws {
        let pages = Self.cataloguePages
        #expect(pages.count > 10)
        let texts = Set(regions.map(\.text))
        for path in pages {
            let long = swiftBlocks(in: try Repository.text(of: path)).filter {
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
        let pages = try (Self.cataloguePages + PageBlock.pages).map(Repository.text(of:))
        let texts = sources + pages
        let unused = regions.filter { region in !texts.contains { $0.contains(region.text) } }
        expectNone(unused.map { "\($0.path): \($0.name)" }, "regions")
    }

    @Test("Each example is one file of at most 130 lines, and has its package")
    func size() throws {
        let files = Repository.files(below: "Examples", ending: ".swift")
        for example in Set(files.map { $0.split(separator: "/")[1] }) {
            let names = files.filter { $0.hasPrefix("Examples/\(example)/") }.map {
                String($0.split(separator: "/").last!)
            }
            #expect(Set(names) == ["Package.swift", "\(example).swift"])
            #expect(try SourceLine.all(of: "Examples/\(example)/\(example).swift").count <= 130)
        }
    }
}
