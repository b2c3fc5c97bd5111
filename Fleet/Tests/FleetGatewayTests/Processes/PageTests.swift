import ArgumentParser
import FleetTestSupport
import Testing

import struct SystemPackage.FilePath

@testable import FleetTool

/// The commands of docs/fleet.md, of which scripts/page.sh runs those for one machine.
@Suite("The page about fleets")
struct PageTests {
    @Test("The tool takes every call")
    func calls() throws {
        let package = (0..<4).reduce(FilePath(#filePath)) { path, _ in
            path.removingLastComponent()
        }
        let page = package.removingLastComponent().appending("docs/fleet.md")
        let text = String(decoding: try #require(TestFolder.read(page.string)), as: UTF8.self)
        let calls = text.replacing("$PWD", with: "/srv").replacing(" 2>", with: " >").split(
            separator: "\n"
        )
        .filter { $0.hasPrefix("$ ") }
        .flatMap { $0.split(whereSeparator: { "|;>&".contains($0) }) }
        .map { $0.split(separator: " ").drop { ["$", "until"].contains($0) } }
        .filter { $0.first == "bleota-fleet" }
        #expect(calls.count > 15)
        for call in calls {
            let words = call.dropFirst().map(String.init)
            #expect(throws: Never.self, "\(words)") {
                do { _ = try BleotaFleet.parseAsRoot(words) } catch {
                    throw Problem(description: BleotaFleet.fullMessage(for: error))
                }
            }
        }
    }

    private struct Problem: Error, CustomStringConvertible {
        let description: String
    }
}
