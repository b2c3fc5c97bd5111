import Foundation

/// What the package's build has made, beside the tests.
package enum Tool {
    /// The tool.
    package static let path = built("bleota-fleet")
    /// What a test does to a process that loads it.
    package static let faults = built("libFleetFaults.so")

    private static func built(_ name: String) -> String {
        // The tests are a program in the folder of everything that is built.
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        return program.deletingLastPathComponent().appendingPathComponent(name).path
    }
}
