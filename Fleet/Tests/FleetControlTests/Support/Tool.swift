import Foundation

/// The built tool.
enum Tool {
    static let path: String = {
        // Support, FleetControlTests, Tests, the package.
        let package = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { path, _ in
            path.deletingLastPathComponent()
        }
        return package.appendingPathComponent(".build/debug/bleota-fleet").path
    }()
}
