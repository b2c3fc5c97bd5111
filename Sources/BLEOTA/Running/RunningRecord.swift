import BLEOTACore
import Glibc
public import SystemPackage

/// What a device runs, written down in the directory of its ``DirectoryStore``.
///
///     running → SHA256.confirmed    or SHA256.onTrial: a link, for a link is replaced whole
///
/// It needs no lock: who starts what runs may write it while a receiver uses the directory.
///
/// ```swift
/// try RunningRecord(directory: "/var/lib/lamp").write(.confirmed, sha256: hash)
/// ```
public struct RunningRecord: Sendable {
    private let link: FilePath
    private let directory: FilePath
    private let disk: Disk

    /// The record in this directory, which is there.
    public init(directory: FilePath) {
        self.init(directory: directory, on: Disk())
    }

    init(directory: FilePath, on disk: Disk) {
        self.directory = directory
        self.disk = disk
        link = directory.appending("running")
    }

    /// What was written last; ``RunningImage/unknown`` where nothing was, or what is there is none.
    public func read() -> RunningImage {
        let parts = disk.linkTarget(of: link)?.string.split(separator: ".") ?? []
        guard parts.count == 2, let sha256 = Self.bytes(parts[0]) else { return .unknown }
        switch parts[1] {
        case "confirmed": return RunningImage(.confirmed, sha256: sha256)
        case "onTrial": return RunningImage(.onTrial, sha256: sha256)
        default: return .unknown
        }
    }

    /// Replaces the record in one atomic step; returns when it is durable.
    ///
    /// - Parameters:
    ///   - state: `confirmed` or `onTrial`.
    ///   - sha256: of the image that runs, 32 bytes.
    /// - Throws: a ``StoreError``, with code `cannotCreate` where the directory is not there.
    public func write(_ state: RunningState, sha256: [UInt8]) throws(StoreError) {
        guard disk.kind(of: directory, followingLinks: true) == .directory else {
            throw .cannotCreate(
                link,
                .noSuchFileOrDirectory,
                remedy: "name the directory of a receiver, which its --store says"
            )
        }
        precondition([.confirmed, .onTrial].contains(state) && sha256.count == 32)
        let digits = sha256.map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0" + text : text
        }
        try disk.replaceLink(
            link,
            target: FilePath("\(digits.joined()).\(state)"),
            writer: "new-\(getpid())"
        )
        try disk.synchronizeDirectory(directory)
    }

    private static func bytes(_ hex: some StringProtocol) -> [UInt8]? {
        let digits = Array(hex.utf8)
        guard digits.count == 64 else { return nil }
        let bytes = stride(from: 0, to: 64, by: 2).compactMap {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
        }
        return bytes.count == 32 ? bytes : nil
    }
}
