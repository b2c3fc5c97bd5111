import BLEOTATestSupport
import Foundation
import Testing

/// Links in documents lead to files and headings that exist.
@Suite("Links in documents")
struct DocumentLinkTests {
    /// Documentation catalogues are read outside of the repository, so their links to its files are
    /// whole addresses.
    private static let site = "https://github.com/bleota/bleota/blob/main/"

    private struct Link: CustomStringConvertible {
        let document: String
        let target: String
        var description: String { "\(document): \(target)" }
    }

    @Test("Every link between files of the repository leads to one")
    func files() throws {
        let dead = try links().filter { link in
            path(of: link).map { !Repository.exists($0) } ?? false
        }
        expectNone(dead.map(\.description), "dead links")
    }

    @Test("Every link to a heading leads to one")
    func headings() throws {
        let dead = try links().filter { link in
            guard let hash = link.target.firstIndex(of: "#") else { return false }
            let document = path(of: link) ?? link.document
            guard document.hasSuffix(".md"), Repository.exists(document) else { return false }
            let anchor = link.target[link.target.index(after: hash)...]
            return try !anchors(of: document).contains(String(anchor))
        }
        expectNone(dead.map(\.description), "dead links")
    }

    /// The path from the root, `nil` for a link inside its document.
    private func path(of link: Link) -> String? {
        let target = link.target.prefix { $0 != "#" }
        guard !target.isEmpty else { return nil }
        if target.hasPrefix(Self.site) { return String(target.dropFirst(Self.site.count)) }
        let folder = URL(filePath: link.document, relativeTo: URL(filePath: "/"))
            .deletingLastPathComponent()
        let path = folder.appending(path: String(target)).standardized.path(percentEncoded: false)
        return String(path.drop { $0 == "/" })
    }

    private func links() throws -> [Link] {
        try Repository.files(ending: ".md").flatMap { document in
            prose(of: try Repository.text(of: document))
                .matches(of: #/\]\(([^()\s]+)(?: "[^"]*")?\)/#)
                .map { Link(document: document, target: String($0.1)) }
                .filter { !$0.target.contains(/^[a-z]+:/) || $0.target.hasPrefix(Self.site) }
        }
    }

    /// The names that GitHub gives to the headings of a document.
    private func anchors(of document: String) throws -> [String] {
        prose(of: try Repository.text(of: document)).split(separator: "\n")
            .filter { $0.hasPrefix("#") }
            .map { heading in
                heading.drop { $0 == "#" || $0 == " " }.lowercased()
                    .filter { $0.isLetter || $0.isNumber || " -_".contains($0) }
                    .map { $0 == " " ? "-" : String($0) }.joined()
            }
    }

    /// The document without its blocks of code.
    private func prose(of document: String) -> String {
        var isCode = false
        return document.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
            if line.hasPrefix("```") { isCode.toggle() }
            return !isCode
        }.joined(separator: "\n")
    }
}
