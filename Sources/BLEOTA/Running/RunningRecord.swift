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
        guard parts.count == 2, let sha256 = HexText.bytes(parts[0]), sha256.count == 32,
            let state = Self.names.first(where: { $0.value == parts[1] })?.key
        else { return .unknown }
        return RunningImage(state, sha256: sha256)
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
        guard let name = Self.names[state], sha256.count == 32 else {
            preconditionFailure("a record says what runs, and whether for good")
        }
        try disk.replaceLink(
            link,
            target: FilePath("\(HexText.text(sha256)).\(name)"),
            writer: "new-\(getpid())"
        )
        try disk.synchronizeDirectory(directory)
    }

    private static let names: [RunningState: String] = [
        .confirmed: "confirmed", .onTrial: "onTrial",
    ]
}
