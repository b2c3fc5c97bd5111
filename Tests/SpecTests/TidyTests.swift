import BLEOTATestSupport
import Foundation
import Testing

/// The rules of the modules and of the form of the sources.
@Suite("Module rules")
struct TidyTests {
    /// What the two lower modules must not even mention: they have no clock, no chance and no
    /// operating system.
    private static let forbiddenBelow: Set<Substring> = [
        "Foundation", "Glibc", "ContinuousClock", "Date", "SystemRandomNumberGenerator",
    ]
    private static let lineCountMax = 400
    private static let columnCountMax = 100
    private static let folderEntryCountMax = 15
    private static let embeddedFileCountMax = 100
    /// Lines of code of frames, manifests and both machines, without comments and blank lines: what
    /// somebody has to read who makes the protocol anew. It may become less. Signed receipts, which
    /// ends may leave out, are 163 of them.
    private static let protocolLineCountMax = 5_043

    /// Files that may be longer than 400 lines, each with a reason.
    private static let longFiles: [String: String] = [:]

    /// Files that are not named after a type, each with a reason.
    private static let unnamedFiles: [String: String] = [
        "Sources/BLEOTACore/Exports.swift": "holds the re-export of BLEOTAWire and nothing else",
        "Sources/BLEOTADevice/Exports.swift": "holds two re-exports and nothing else",
        "Sources/BLEOTAReceiverC/Functions.swift": "holds the functions of bleota_receiver.h",
        "Sources/BlueZ/Exports.swift": "holds the re-export of DBus and nothing else",
        "Sources/BLEOTA/Driver/Push.swift": "holds the functions push",
        "Sources/BLEOTA/Driver/Measure.swift": "holds the functions measure and withdraw",
        "Sources/BLEOTA/Driver/Receive.swift": "holds the functions serve, receive and pull",
        "Sources/BLEOTA/API/Trust/WithoutSignatures.swift": "holds types for builds without keys",
    ]

    @Test("BLEOTACore imports BLEOTAWire, for its pin Synchronization, and nothing else")
    func coreImports() throws {
        let others = try SourceLine.imports(of: "BLEOTACore").filter { $0.module != "BLEOTAWire" }
        let pin = "Sources/BLEOTACore/Receiver/AddressStable.swift:1: Synchronization"
        #expect(others.map(\.description) == [pin])
    }

    @Test("BLEOTA imports neither Foundation nor ArgumentParser")
    func libraryImports() throws {
        let forbidden = ["Foundation", "FoundationEssentials", "ArgumentParser"]
        let found = try SourceLine.imports(of: "BLEOTA").filter { forbidden.contains($0.module) }
        expectNone(found.map(\.description), "imports")
    }

    @Test("None of the lower modules mentions an operating system, a clock or chance")
    func noWorldBelow() throws {
        let below = try [
            "BLEOTAWire", "BLEOTAManifest", "BLEOTACore", "BLEOTAHost", "BLEOTADevice",
        ].flatMap {
            try SourceLine.all(below: "Sources/\($0)")
        }
        let found = below.filter { line in
            let words = line.text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
            return words.contains(where: Self.forbiddenBelow.contains)
                || line.text.contains(".random(")
        }
        expectNone(found.map(\.description), "lines")
    }

    @Test("No source has more than 400 lines, unless it is known why")
    func lengths() throws {
        let found = try Repository.files(below: "Sources", ending: ".swift").compactMap { path in
            let lineCount = try SourceLine.all(of: path).count
            let isAsExpected =
                (lineCount > Self.lineCountMax) == (Self.longFiles[path] != nil)
            return isAsExpected ? nil : "\(path): \(lineCount) lines"
        }
        expectNone(found, "files")
    }

    @Test("The protocol takes no more code than is known")
    func protocolSize() throws {
        let lines = try ["BLEOTAWire", "BLEOTAManifest", "BLEOTACore"].flatMap {
            try SourceLine.all(below: "Sources/\($0)")
        }
        let code = lines.filter { line in
            let text = line.text.drop { $0 == " " }
            return !text.isEmpty && !text.hasPrefix("//")
        }
        #expect(code.count <= Self.protocolLineCountMax)
    }

    @Test("No folder has more than 15 entries", arguments: ["Sources", "Embedded"])
    func rooms(place: String) {
        let entries = entries(below: place)
        #expect(entries.count > 10)
        let full = entries.filter { $0.value.count > Self.folderEntryCountMax }
        expectNone(full.map { "\($0.key): \($0.value.count) entries" }, "folders")
    }

    @Test("Embedded has three folders, and no more than 100 files")
    func embedded() {
        let entries = entries(below: "Embedded")
        #expect(entries["Embedded"] == ["README.md", "Library", "Device", "Guides"])
        let all = entries.flatMap { folder, names in names.map { "\(folder)/\($0)" } }
        let fileCount = all.filter { entries[$0] == nil }.count
        #expect(fileCount <= Self.embeddedFileCountMax)
    }

    /// The names in each folder below a place, and in the place itself.
    private func entries(below place: String) -> [String: Set<String>] {
        var entries: [String: Set<String>] = [:]
        for path in Repository.files(below: place, ending: "") {
            var parts = path.split(separator: "/").map(String.init)
            while let name = parts.popLast(), !parts.isEmpty {
                entries[parts.joined(separator: "/"), default: []].insert(name)
            }
        }
        return entries
    }

    @Test(
        "No line of code has more than 100 columns",
        arguments: ["Sources", "Tests", "Examples", "Benchmarks"]
    )
    func columns(folder: String) throws {
        let found = try SourceLine.all(below: folder).filter { $0.text.count > Self.columnCountMax }
        expectNone(found.map { "\($0.place): \($0.text.count) columns" }, "lines")
    }

    @Test("Nothing is left to do")
    func nothingLeft() throws {
        let left = #/\bTODO\b|\bFIXME\b|\bXXX\b|fatalError\("[Nn]ot /#
        let all = try SourceLine.all(below: "Sources") + SourceLine.all(below: "Benchmarks")
        expectNone(all.filter { $0.text.contains(left) }.map(\.description), "lines")
    }

    @Test("Every source is named after a type that it declares or extends")
    func names() throws {
        let declaration = #/\b(?:struct|enum|class|actor|protocol|extension|typealias) ([\w.]+)/#
        let found = try Repository.files(below: "Sources", ending: ".swift").compactMap { path in
            let name = path.split(separator: "/").last!.dropLast(".swift".count)
            let declared = try Repository.text(of: path).matches(of: declaration).map {
                $0.1.split(separator: ".").last!
            }
            let isNamed = declared.contains(name.prefix { $0 != "+" })
            let mayBeUnnamed = Self.unnamedFiles[path] != nil
            return isNamed != mayBeUnnamed ? nil : "\(path) has \(declared)"
        }
        expectNone(found, "files")
    }

    @Test("The lists of exceptions name files that exist and give reasons")
    func exceptions() {
        for (path, reason) in Self.longFiles.merging(Self.unnamedFiles, uniquingKeysWith: { $1 }) {
            #expect(Repository.exists(path) && !reason.isEmpty, "\(path)")
        }
    }

    @Test("Every stage has a row in the table of times")
    func stages() throws {
        let page = try Repository.text(of: "CONTRIBUTING.md")
        let table = try #require(MarkdownTable(below: "Times", in: page))
        let rule = #/([a-z -]+):[^;]*; \$\((?:run|wait|emulator)\) .*/#
        let stages = try Repository.text(of: "scripts/stages.mk").split(separator: "\n")
            .compactMap { $0.wholeMatch(of: rule)?.1 }.flatMap { $0.split(separator: " ") }
        #expect(stages.contains("protocol"))
        let rows = Set(table.rows.map { $0[0] })
        expectNone(stages.map(String.init).filter { !rows.contains($0) }, "stages without a row")
    }

    @Test("No source or document names a folder of one machine")
    func noMachinePaths() throws {
        let machinePath = #/(?:^|[^\w.~/-])/(?:work|root|tmp)\b/#
        let documents = try Repository.files(ending: ".md").flatMap(SourceLine.all(of:))
        let found = (try SourceLine.all(below: "Sources") + documents).filter {
            $0.text.contains(machinePath)
        }
        expectNone(found.map(\.description), "lines")
    }
}
