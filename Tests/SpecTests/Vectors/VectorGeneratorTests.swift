import BLEOTATestSupport
import Foundation
import Testing

/// The committed vectors are what their generator makes of the specification.
@Suite("Generator of the vectors")
struct VectorGeneratorTests {
    private static let isPythonInstalled: Bool = {
        guard let outcome = try? run(["python3", "--version"]) else { return false }
        return outcome.exitCode == 0
    }()

    @Test(
        "The generator finds nothing wrong with the vectors",
        .enabled(
            if: isPythonInstalled,
            "python3 is not installed, so the vectors can't be made anew"
        )
    )
    func verify() throws {
        let script = Repository.path(of: "spec/vectors/generate.py")
        let outcome = try Self.run(["python3", script, "--verify"])
        #expect(outcome.exitCode == 0, "\(outcome.output)")
    }

    private static func run(_ command: [String]) throws -> (exitCode: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}
