import BLEOTACore
import BLEOTAManifest
import BLEOTAWire
import SystemPackage

/// One transfer in a directory of its own: first its manifest, then its image.
///
///     manifest.part, manifest.journal ──accepted──▶ manifest, image, journal ──tidied──▶
///     manifest, image
///
/// or, where the image travels encoded,
///
///     … ──accepted──▶ manifest, encoded, journal, image.new ──decoded──▶
///     manifest, image, encoded, journal ──tidied──▶ manifest, image
///
/// What this does not know is where the directory is, how the image becomes current, and how many
/// other transfers there are.
final class PartialTransfer {
    static let manifestName: FilePath.Component = "manifest"
    /// What is decoded, until it is whole.
    static let newName: FilePath.Component = "image.new"

    private enum Phase {
        case manifest(PartialManifest)
        case image(Manifest, PartialImage)
        /// It travelled encoded, and has become the image.
        case decoded(Manifest)
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
            if try Self.isDecoded(manifest, in: directory, on: disk) {
                phase = .decoded(manifest)
            } else {
                phase = .image(manifest, try PartialImage(manifest, in: directory, on: disk))
            }
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

    /// Whether the manifest of the transfer in `directory` was accepted.
    static func isJudged(_ directory: FilePath, on disk: Disk) -> Bool {
        disk.kind(of: directory.appending(manifestName)) != nil
    }

    private static func check(_ manifest: Manifest, _ limit: Int) throws(StoreError) {
        let byteCount = manifest.largestByteCount
        guard byteCount <= limit else { throw .tooLarge(byteCount: byteCount, limit: limit) }
    }

    /// Whether the image travelled encoded and is there already, decoded; it is hashed to see that.
    private static func isDecoded(
        _ manifest: Manifest,
        in directory: FilePath,
        on disk: Disk
    ) throws(StoreError) -> Bool {
        let path = directory.appending(PartialImage.dataName)
        guard manifest.encoding != nil,
            disk.fileByteCount(of: path) == manifest.decodedByteCount
        else { return false }
        let file = try DiskFile.open(path, on: disk, writable: false)
        try file.synchronizeAndForget()
        return try file.sha256() == manifest.decodedSHA256
    }

    var held: ResumeState {
        switch phase {
        case .manifest(let partial): .manifest(blockCount: partial.heldBlockCount)
        case .image(let manifest, let partial): .image(manifest, held: partial.held)
        case .decoded(let manifest): .decoded(manifest)
        }
    }

    /// Once the manifest is accepted.
    var manifest: Manifest {
        switch phase {
        case .manifest: preconditionFailure("no manifest yet")
        case .image(let manifest, _), .decoded(let manifest): return manifest
        }
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
        case .decoded: return nil
        }
    }

    /// Takes what came of the flush, and throws its failure.
    func endFlush(_ failure: StoreError?) throws(StoreError) {
        guard case .image(_, let partial) = phase else {
            preconditionFailure("no flush is under way")
        }
        try partial.endFlush(failure)
    }

    //= OBJ-3: A receiver MUST refuse a manifest that breaks a rule of section 4.2, that exceeds its
    //= limits or that its policy does not allow, before it erases or writes anything of the image.
    ///
    /// - Parameter makePlace: gives up what has to give way to this transfer, and throws `noSpace`
    ///   if even then there is no room for it.
    func acceptManifest(
        unless refusal: (Manifest) -> ManifestRefusal?,
        makePlace: (Manifest) throws(StoreError) -> Void
    ) throws(StoreError) -> (manifest: Manifest, held: [Bool]) {
        guard case .manifest(let partial) = phase else {
            preconditionFailure("the manifest is accepted already")
        }
        let manifest = try read(partial)
        if let refusal = refusal(manifest) { throw .refused(refusal) }
        try Self.check(manifest, imageByteCountLimit)
        try partial.synchronize()
        try makePlace(manifest)
        // The room is made first: without it the manifest still waits to be accepted.
        let image = try PartialImage(
            manifest,
            in: directory,
            on: disk
        )
        if manifest.encoding != nil { try makeRoom(for: manifest) }
        try disk.rename(
            directory.appending(PartialManifest.dataName),
            to: directory.appending(Self.manifestName)
        )
        phase = .image(manifest, image)
        try disk.synchronizeDirectory(directory)
        try disk.removeFile(directory.appending(PartialManifest.journalName))
        return (manifest, image.held)
    }

    /// Makes the file for what is decoded.
    private func makeRoom(for manifest: Manifest) throws(StoreError) {
        let path = directory.appending(Self.newName)
        guard disk.fileByteCount(of: path) != manifest.decodedByteCount else { return }
        try disk.removeFile(path)
        _ = try DiskFile.create(path, byteCount: manifest.decodedByteCount, on: disk)
    }

    /// Takes over what another image has of this one; returns what is held then.
    func adoptBlocks(from other: StoredContent) throws(StoreError) -> [Bool] {
        guard case .image(let manifest, let partial) = phase else {
            preconditionFailure("the manifest is accepted first")
        }
        if let hashes = other.hashes(blockByteCount: manifest.blockByteCount) {
            try partial.adoptBlocks(of: hashes, other.byteCount, from: other.file)
        }
        return partial.held
    }

    private func read(_ partial: PartialManifest) throws(StoreError) -> Manifest {
        let bytes = try partial.bytes()
        //= OBJ-2: A receiver MUST check that object 0, once complete, has the byte count and the
        //= SHA-256 that OPEN announced in part, and begin it anew, in a new epoch, if not; after 3
        //= such failures of a session it MUST end the session with RESULT *manifest mismatch*.
        guard TransferTag(hashing: bytes) == tag else {
            try beginManifestAnew()
            throw .manifestMismatch(tag)
        }
        do throws(ManifestError) {
            return try Manifest(bytes: bytes)
        } catch {
            throw .malformed(error)
        }
    }

    private func beginManifestAnew() throws(StoreError) {
        try disk.removeFile(directory.appending(PartialManifest.journalName))
        phase = .manifest(
            try PartialManifest(in: directory, byteCount: manifestByteCount, on: disk)
        )
    }

    /// Hashes the image as it is stored and decodes it if it travelled encoded. The SHA-256 of the
    /// image is the one in the manifest then.
    ///
    /// - Parameter base: the image that is current, for a patch.
    /// - Throws: `imageMismatch` where it does not become what its manifest describes.
    func verify(
        decodedBy decoder: ImageDecoder,
        base: () throws(StoreError) -> [UInt8]?
    ) throws(StoreError) {
        switch phase {
        case .manifest: preconditionFailure("no image to publish")
        case .image(let manifest, let partial):
            //= ENC-1: A receiver MUST check the SHA-256 of the whole encoded image as it is stored
            //= before it decodes any of it.
            try partial.verify()
            guard manifest.encoding != nil else { return }
            try makeRoom(for: manifest)
            try decode(manifest, partial, decoder, base)
            phase = .decoded(manifest)
        case .decoded(let manifest):
            if try Self.isDecoded(manifest, in: directory, on: disk) { return }
            phase = .image(manifest, try PartialImage(manifest, in: directory, on: disk))
            throw .damagedAfterDecoding(directory.appending(PartialImage.dataName))
        }
    }

    private func decode(
        _ manifest: Manifest,
        _ partial: PartialImage,
        _ decoder: ImageDecoder,
        _ base: () throws(StoreError) -> [UInt8]?
    ) throws(StoreError) {
        let new = directory.appending(Self.newName)
        let file = try DiskFile.open(new, on: disk)
        var byteOffset = 0
        let isWhole = try decoder.decode(
            manifest,
            base: { () throws(StoreError) in try Self.checked(try? base(), for: manifest) },
            read: { (range) throws(StoreError) in try partial.read(range) },
            write: { (piece) throws(StoreError) in
                try file.write(Array(piece), at: byteOffset)
                byteOffset += piece.count
            }
        )
        guard isWhole else { throw .undecodable(manifest) }
        try file.synchronizeAndForget()
        guard try file.sha256() == manifest.decodedSHA256 else {
            throw .damagedAfterDecoding(new)
        }
        try disk.rename(new, to: directory.appending(PartialImage.dataName))
        try disk.synchronizeDirectory(directory)
    }

    /// The image that is current may have been damaged since its manifest was looked at. The sender
    /// is told that it is another one then, and offers the whole image.
    private static func checked(
        _ base: [UInt8]??,
        for manifest: Manifest
    ) throws(StoreError) -> [UInt8] {
        guard let base = base ?? nil,
            SHA256.digest(of: base) == manifest.baseSHA256
        else { throw .refused(ManifestRefusal(.wrongBase)) }
        return base
    }

    /// Removes everything but manifest and image, which are durable with their names afterwards.
    func tidy() throws(StoreError) {
        for name in StoreForm.transferNames
        where name != Self.manifestName && name != PartialImage.dataName {
            try disk.removeFile(directory.appending(name))
        }
        try disk.synchronizeDirectory(directory)
    }

    /// Removes a transfer's directory and what is the store's in it.
    ///
    /// Each state on the way is one that can be opened: the journals go before what they are about.
    ///
    /// - Throws: where something else is in it, which stays, with the directory.
    static func remove(_ directory: FilePath, on disk: Disk) throws(StoreError) {
        guard disk.kind(of: directory) == .directory else { return }
        for name in StoreForm.transferNames {
            let path = directory.appending(name)
            if disk.kind(of: path) == .file { try disk.removeFile(path) }
        }
        try disk.removeDirectory(directory)
    }
}
