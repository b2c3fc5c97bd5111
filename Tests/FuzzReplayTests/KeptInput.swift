import Foundation
import FuzzTargets
import Glibc

/// An input of a fuzzer, from a file or a seed.
struct KeptInput {
    let target: FuzzTarget
    /// The path of its file below Tests/Fuzz, or its seed.
    let name: String
    let bytes: [UInt8]

    private static let folder = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fuzz")

    /// Those in one of the folders below Tests/Fuzz; none if it does not exist.
    static func all(of target: FuzzTarget, in kind: String) throws -> [KeptInput] {
        let path = "\(kind)/\(target.rawValue)"
        let start = folder.appending(path: path).path(percentEncoded: false)
        guard FileManager.default.fileExists(atPath: start) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: start)
            .filter { !$0.hasPrefix(".") && !$0.hasSuffix(".md") }
            .sorted()
            .map { name in
                let file = folder.appending(path: "\(path)/\(name)")
                return KeptInput(target, "\(path)/\(name)", try Array(Data(contentsOf: file)))
            }
    }

    /// Bytes drawn from a seed, more of them small than large, so that they mean more.
    init(ofChance seed: UInt64, for target: FuzzTarget) {
        var state = seed &+ 0x9E37_79B9_7F4A_7C15
        func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
        let bytes = (0..<Int(next() % 600)).map { _ in
            UInt8(truncatingIfNeeded: next() & 1 == 0 ? next() : next() % 17)
        }
        self.init(target, "\(target.rawValue) seed \(seed)", bytes)
    }

    private init(_ target: FuzzTarget, _ name: String, _ bytes: [UInt8]) {
        self.target = target
        self.name = name
        self.bytes = bytes
    }

    /// Says what comes next, if `BLEOTA_FUZZ_LOG` is set: an input that traps takes the process
    /// with it.
    func log() {
        guard getenv("BLEOTA_FUZZ_LOG") != nil else { return }
        let line = Array("\(name)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }
}
