import BLEOTACore
import SystemPackage

/// One transfer in a directory of its own: first its manifest, then its image.
///
///     manifest.part, manifest.journal ──accepted──▶ manifest, image, journal ──tidied──▶
///     manifest, image
///
/// What this does not know is where the directory is, how the image becomes current, and how many
/// other transfers there are.
final class PartialTransfer {
    static let manifestName: FilePath.Component = "manifest"

    private enum Phase {
        case manifest(PartialManifest)
        case image(Manifest, PartialImage)
    }

    let tag: TransferTag
    /// Where it is; changes when the whole directory is renamed.
    var directory: FilePath
    private let manifestByteCount: Int
    private let imageByteCountLimit: Int
    private let disk: Disk
    private var phase: Phase

    /// Opens the transfer in `directory`, which is made if it is not there.
    init(
        _ tag: TransferTag,
        manifestByteCount: Int,
        in directory: FilePath,
        imageByteCountLimit: Int,
        on disk: Disk
    ) throws(StoreError) {
        self.tag = tag
        self.directory = directory
        self.manifestByteCount = manifestByteCount
        self.imageByteCountLimit = imageByteCountLimit
        self.disk = disk
        if disk.kind(of: directory) != .directory {
            try disk.requireSpace(manifestByteCount, for: directory)
            try disk.makeDirectory(directory)
        }
        // Also when it was there: who made it may have been stopped before this.
        try disk.synchronizeDirectory(directory.removingLastComponent())
        disk.touch(directory)
        if let manifest = try Self.manifest(in: directory, on: disk) {
            guard manifest.bytes.count == manifestByteCount else { throw .manifestMismatch(tag) }
            try Self.check(manifest, imageByteCountLimit)
            phase = .image(manifest, try PartialImage(manifest, in: directory, on: disk))
        } else {
            phase = .manifest(
                try PartialManifest(in: directory, byteCount: manifestByteCount, on: disk)
            )
        }
    }

    /// The accepted manifest of the transfer in `directory`, which is named after its tag; `nil` if
    /// there is none, or if the disk damaged it.
    static func manifest(
        in directory: FilePath,
        on disk: Disk
    ) throws(StoreError) -> Manifest? {
        let path = directory.appending(manifestName)
        guard let byteCount = disk.fileByteCount(of: path),
            byteCount <= ManifestLayout.byteCountMax
        else { return nil }
        let bytes = try DiskFile.open(path, on: disk, writable: false).read(0..<byteCount)
        let manifest = try? Manifest(bytes: bytes)
        return manifest?.tag.hex == directory.lastComponent?.string ? manifest : nil
    }

    private static func check(_ manifest: Manifest, _ limit: Int) throws(StoreError) {
        guard manifest.imageByteCount <= limit else {
            throw .tooLarge(byteCount: manifest.imageByteCount, limit: limit)
        }
    }

    var held: HeldTransfer {
        switch phase {
        case .manifest(let partial): .manifest(blockCount: partial.heldBlockCount)
        case .image(let manifest, let partial): .image(manifest, held: partial.held)
        }
    }

    /// Once the manifest is accepted.
    var manifest: Manifest {
        guard case .image(let manifest, _) = phase else { preconditionFailure("no manifest yet") }
        return manifest
    }

    func write(
        _ bytes: [UInt8],
        object: ObjectID,
        blockIndex: Int
    ) throws(StoreError) {
        switch (phase, object) {
        case (.manifest(let partial), .manifest):
            try partial.write(bytes, blockIndex: blockIndex)
        case (.image(_, let partial), .image): try partial.write(bytes, blockIndex: blockIndex)
        default: preconditionFailure("this object is not being received")
        }
    }

    /// What makes the blocks of the image durable; `nil` if all are. The manifest is made durable
    /// at once: it is small.
    func beginFlush() throws(StoreError) -> FileFlush? {
        switch phase {
        case .manifest(let partial):
            try partial.synchronize()
            return nil
        case .image(_, let partial): return try partial.beginFlush()
        }
    }

    /// Takes what came of the flush, and throws its failure.
    func endFlush(_ failure: StoreError?) throws(StoreError) {
        guard case .image(_, let partial) = phase else {
            preconditionFailure("no flush is under way")
        }
        try partial.endFlush(failure)
    }

    func acceptManifest(
        unless refusal: (Manifest) -> ManifestRefusal?
    ) throws(StoreError) -> (manifest: Manifest, held: [Bool]) {
        guard case .manifest(let partial) = phase else {
            preconditionFailure("the manifest is accepted already")
        }
        let manifest = try accepted(partial)
        if let refusal = refusal(manifest) { throw .refused(refusal) }
        try partial.synchronize()
        // The room is made first: without it the manifest still waits to be accepted.
        let image = try PartialImage(manifest, in: directory, on: disk)
        try disk.rename(
            directory.appending(PartialManifest.dataName),
            to: directory.appending(Self.manifestName)
        )
        phase = .image(manifest, image)
        try disk.synchronizeDirectory(directory)
        try disk.removeFile(directory.appending(PartialManifest.journalName))
        return (manifest, image.held)
    }

    /// Takes over what another image has of this one; returns what is held then.
    func adoptBlocks(
        of other: Manifest,
        at path: FilePath
    ) throws(StoreError) -> [Bool] {
        guard case .image(_, let partial) = phase else {
            preconditionFailure("the manifest is accepted first")
        }
        if let file = try? DiskFile.open(path, on: disk, writable: false) {
            try partial.adoptBlocks(of: other, from: file)
        }
        return partial.held
    }

    //= OBJ-3: A receiver MUST refuse a manifest that breaks a rule of section 4.2, that exceeds its
    //= limits or that its policy does not allow, before it erases or writes anything of the image.
    private func accepted(_ partial: PartialManifest) throws(StoreError) -> Manifest {
        let bytes = try partial.bytes()
        //= OBJ-2: A receiver MUST check that object 0, once complete, has the byte count and the
        //= SHA-256 that OPEN announced in part, and begin it anew, in a new epoch, if not; after 3
        //= such failures it MUST end the session with RESULT *manifest mismatch*.
        guard TransferTag(hashing: bytes) == tag else {
            try beginManifestAnew()
            throw .manifestMismatch(tag)
        }
        let manifest: Manifest
        do throws(ManifestError) {
            manifest = try Manifest(bytes: bytes)
        } catch {
            throw .malformed(error)
        }
        try Self.check(manifest, imageByteCountLimit)
        return manifest
    }

    private func beginManifestAnew() throws(StoreError) {
        try disk.removeFile(directory.appending(PartialManifest.journalName))
        phase = .manifest(
            try PartialManifest(in: directory, byteCount: manifestByteCount, on: disk)
        )
    }

    /// Hashes the image as it is stored and returns the SHA-256, which is the one in the manifest.
    func verify() throws(StoreError) -> [UInt8] {
        guard case .image(_, let partial) = phase else {
            preconditionFailure("no image to publish")
        }
        return try partial.verify()
    }

    /// Removes everything but manifest and image, which are durable with their names afterwards.
    func tidy() throws(StoreError) {
        let extra = [
            PartialImage.journalName, PartialManifest.journalName, PartialManifest.dataName,
        ]
        for name in extra { try disk.removeFile(directory.appending(name)) }
        try disk.synchronizeDirectory(directory)
    }

    /// Removes a transfer's directory and all that is in it.
    ///
    /// Each state on the way is one that can be opened: the journals go before what they are about.
    static func remove(_ directory: FilePath, on disk: Disk) throws(StoreError) {
        guard disk.kind(of: directory) == .directory else { return }
        let journals = [PartialImage.journalName, PartialManifest.journalName]
        for name in journals + disk.names(in: directory) {
            try disk.removeFile(directory.appending(name))
        }
        try disk.removeDirectory(directory)
    }
}
