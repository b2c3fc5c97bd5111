import BLEOTACore
package import BLEOTAWire
import Glibc
package import SystemPackage

/// The image that a device runs, recorded in the directory of its ``DirectoryStore``.
///
/// ```text
/// running → SHA256.confirmed    or SHA256.onTrial; a link can be replaced atomically
/// ```
///
/// The record needs no lock: the program that starts images may write it while a receiver uses
/// the directory.
///
/// ```swift
/// try RunningRecord(directory: "/var/lib/lamp").write(.confirmed, sha256: hash)
/// ```
package struct RunningRecord: Sendable {
    private let link: FilePath
    private let directory: FilePath
    private let disk: Disk

    /// The record in this directory, which must exist.
    package init(directory: FilePath) {
        self.init(directory: directory, on: Disk())
    }

    init(directory: FilePath, on disk: Disk) {
        self.directory = directory
        self.disk = disk
        link = directory.appending(StoreForm.running)
    }

    /// The recorded image; ``RunningImage/unknown`` if there is no valid record.
    package func read() -> RunningImage {
        guard let target = (try? disk.holding(directory))?.linkTarget(of: link),
            let image = Self.image(in: target)
        else { return .unknown }
        return RunningImage(image.state, sha256: image.sha256)
    }

    /// Parses the target of the link; `nil` if it is not a valid record.
    static func image(in target: FilePath) -> (sha256: [UInt8], state: RunningState)? {
        let parts = target.string.split(separator: ".")
        guard parts.count == 2, let sha256 = HexText.bytes(parts[0]), sha256.count == 32,
            let state = names.first(where: { $0.value == parts[1] })?.key
        else { return nil }
        return (sha256, state)
    }

    /// Whether the store holds an image, or the record names it as the running image.
    ///
    /// - Parameter sha256: the SHA-256 of the image, 32 bytes.
    /// - Throws: a ``StoreError``; its code is `cannotCreate` if the directory is not a store.
    package func knows(_ sha256: [UInt8]) throws(StoreError) -> Bool {
        let disk = try storeDisk()
        if manifest(of: sha256, on: disk) != nil { return true }
        return disk.linkTarget(of: link).flatMap(Self.image)?.sha256 == sha256
    }

    /// The version of an image that the store holds; `nil` if the store does not hold it, or its
    /// manifest states no version.
    package func version(of sha256: [UInt8]) -> String? {
        (try? disk.holding(directory)).flatMap { manifest(of: sha256, on: $0)?.version }
    }

    /// The lowest security counter that the store accepts.
    package var counter: UInt32 {
        let link = directory.appending(StoreForm.counter)
        let target = (try? disk.holding(directory))?.linkTarget(of: link)
        return target.flatMap { UInt32($0.string) } ?? 0
    }

    private func manifest(of sha256: [UInt8], on disk: Disk) -> Manifest? {
        let images = directory.appending(StoreForm.images)
        for name in disk.names(in: images).filter(StoreForm.isTag) {
            let manifest = try? PartialTransfer.manifest(in: images.appending(name), on: disk)
            if let manifest, manifest.decodedSHA256 == sha256 { return manifest }
        }
        return nil
    }

    /// A ``Disk`` that holds the directory open. Throws if the directory is not a store.
    private func storeDisk() throws(StoreError) -> Disk {
        guard disk.kind(of: directory, followingLinks: true) == .directory else {
            throw noStore
        }
        let disk = try disk.holding(directory)
        if try StoreMarker.look(in: directory, on: disk) == .present { return disk }
        // The directory may have been created by an early release, which wrote no marker.
        if try StoreInspection(of: directory, on: disk).isEmpty {
            throw noStore
        }
        return disk
    }

    /// Replaces the record in one atomic step and returns once the change is durable.
    ///
    /// - Parameters:
    ///   - state: `confirmed` or `onTrial`.
    ///   - sha256: the SHA-256 of the running image, 32 bytes.
    /// - Throws: a ``StoreError``; its code is `cannotCreate` if the directory is not a store.
    package func write(_ state: RunningState, sha256: [UInt8]) throws(StoreError) {
        let disk = try storeDisk()
        guard let name = Self.names[state], sha256.count == 32 else {
            preconditionFailure("a record names the running image and whether it is confirmed")
        }
        try disk.replaceLink(
            link,
            target: FilePath("\(HexText.text(sha256)).\(name)"),
            writer: "new-\(getpid())"
        )
        try disk.synchronizeDirectory(directory)
    }

    private var noStore: StoreError {
        .cannotCreate(
            link,
            .noSuchFileOrDirectory,
            remedy: "choose the directory of a receiver's store"
        )
    }

    private static let names: [RunningState: String] = [
        .confirmed: "confirmed", .onTrial: "onTrial",
    ]
}
