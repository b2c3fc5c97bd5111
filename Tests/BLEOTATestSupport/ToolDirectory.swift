import Foundation
import Synchronization

/// A directory for the files of one test, removed with all that is in it.
package final class ToolDirectory: Sendable {
    package let root: String
    private let number = Mutex(0)

    package init(in base: String = FileManager.default.temporaryDirectory.path) {
        var template = Array("\(base)/bleota-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil, "no temporary directory")
        root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    package func nextNumber() -> Int {
        number.withLock { number in
            number += 1
            return number
        }
    }

    package func path(_ name: String) -> String { "\(root)/\(name)" }

    /// The socket and the store of a receiver.
    package var socket: String { path("socket") }
    package var target: String { "unix:\(socket)" }
    package var store: String { path("store") }

    @discardableResult
    package func write(_ bytes: [UInt8], to name: String) -> String {
        _ = FileManager.default.createFile(atPath: path(name), contents: Data(bytes))
        return path(name)
    }

    /// A file of random bytes.
    package func image(_ byteCount: Int, seed: UInt64 = 1, name: String = "image.bin") -> String {
        var random = TestSeed(seed)
        return write(random.bytes(byteCount), to: name)
    }

    package func bytes(_ name: String) -> [UInt8]? {
        FileManager.default.contents(atPath: path(name)).map { [UInt8]($0) }
    }

    /// The image that is current in the store.
    package var current: [UInt8]? { bytes("store/current/image") }

    package func run(_ arguments: String...) async throws -> ToolResult {
        try await run(arguments)
    }

    package func run(_ arguments: [String]) async throws -> ToolResult {
        try await RunningTool(arguments, in: self).end()
    }

    /// Starts a receiver, and waits until it listens.
    package func receiver(_ arguments: String...) async throws -> RunningTool {
        try await receiver(arguments)
    }

    /// The same.
    package func receiver(_ arguments: [String]) async throws -> RunningTool {
        let tool = try RunningTool(
            ["receive", "--listen", target, "--store", store, "--json"] + arguments,
            in: self
        )
        try await tool.output { $0["event"] as? String == "listening" }
        return tool
    }
}
