import BLEOTACore
import BLEOTAManifest
import BLEOTAWire
import SystemPackage

/// A transfer in its own directory: first its manifest, then its image.
///
/// ```
/// manifest.part, manifest.journal ──accepted──▶ manifest, image, journal ──tidied──▶
/// manifest, image
/// ```
///
/// or, if the image is sent encoded,
///
/// ```
/// … ──accepted──▶ manifest, encoded, journal, image.new ──decoded──▶
/// manifest, image, encoded, journal ──tidied──▶ manifest, image
/// ```
///
/// The store decides where the directory is, how the image becomes current and how many other
/// transfers are kept.
final class PartialTransfer {
    static let manifestName: FilePath.Component = "manifest"
    /// The name of the decoded image until it is complete.
    static let newName: FilePath.Component = "image.new"

    private enum Phase {
        case manifest(PartialManifest)
        case image(Manifest, PartialImage)
        /// The image arrived encoded, and has been decoded.
        case decoded(Manifest)
    }

    let tag: TransferTag
    /// The directory of the transfer. It changes when the store renames the directory.
    var directory: FilePath
    private let manifestByteCount: Int
    private let imageByteCountLimit: Int
    private let disk: Disk
    private var phase: Phase

    /// Opens the transfer in `directory`, which is created if it doesn't exist.
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
        // Do this even if the directory already existed: the process that created it may have
        // been stopped before this step.
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

    /// The accepted manifest of the transfer in `directory`, whose name is the tag; `nil` if
    /// there is none or if the disk has damaged it.
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

    /// Whether the image arrived encoded and its decoded form is complete, as its hash shows.
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

    /// The manifest, which must have been accepted.
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

    /// Returns a flush of the image's blocks; `nil` if all are durable. A manifest is small, so it
    /// is made durable at once.
    func beginFlush() throws(StoreError) -> FileFlush? {
        switch phase {
        case .manifest(let partial):
            try partial.synchronize()
            return nil
        case .image(_, let partial): return try partial.beginFlush()
        case .decoded: return nil
        }
    }

    /// Completes the flush, and throws its failure, if any.
    func endFlush(_ failure: StoreError?) throws(StoreError) {
        guard case .image(_, let partial) = phase else {
            preconditionFailure("no flush is under way")
        }
        try partial.endFlush(failure)
    }

    //= OBJ-3: A receiver MUST refuse a manifest that breaks a rule of section 4.2, that exceeds the
    //= limits of the receiver, or that its policy does not allow. It MUST do so before it erases or
    //= writes any part of the image.
    ///
    /// - Parameter makePlace: discards the transfers that give way to this one, and throws
    ///   `noSpace` if there is too little space even then.
    func acceptManifest(
        unless refusal: (Manifest) -> ManifestRefusal?,
        makePlace: (Manifest) throws(StoreError) -> Void
    ) throws(StoreError) -> (manifest: Manifest, held: [Bool]) {
        guard case .manifest(let partial) = phase else {
            preconditionFailure("the manifest has already been accepted")
        }
        let manifest = try read(partial)
        if let refusal = refusal(manifest) { throw .refused(refusal) }
        try Self.check(manifest, imageByteCountLimit)
        try partial.synchronize()
        try makePlace(manifest)
        // Take the space first, so that the manifest is not yet accepted if there is no space.
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

    /// Creates the file for the decoded image.
    private func makeRoom(for manifest: Manifest) throws(StoreError) {
        let path = directory.appending(Self.newName)
        guard disk.fileByteCount(of: path) != manifest.decodedByteCount else { return }
        try disk.removeFile(path)
        _ = try DiskFile.create(path, byteCount: manifest.decodedByteCount, on: disk)
    }

    /// Copies the blocks that this image shares with another; returns which blocks are held
    /// afterward.
    func adoptBlocks(from other: StoredContent) throws(StoreError) -> [Bool] {
        guard case .image(let manifest, let partial) = phase else {
            preconditionFailure("the manifest has not been accepted yet")
        }
        if let hashes = other.hashes(blockByteCount: manifest.blockByteCount) {
            try partial.adoptBlocks(of: hashes, other.byteCount, from: other.file)
        }
        return partial.held
    }

    private func read(_ partial: PartialManifest) throws(StoreError) -> Manifest {
        let bytes = try partial.bytes()
        //= OBJ-2: When object 0 is complete, a receiver MUST check that the object has the byte
        //= count in OPEN, and that the first 8 bytes of the object's SHA-256 are the transfer tag.
        //= If the check fails, the receiver MUST ask for all of object 0 again, in a new epoch;
        //= after 3 such failures in a session it MUST end the session with RESULT *manifest
        //= mismatch*.
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

    /// Hashes the image as it is stored, and decodes it if it arrived encoded. Once this function
    /// returns, the SHA-256 of the image is the one in the manifest.
    ///
    /// - Parameter base: returns the current image, for a patch.
    /// - Throws: `imageMismatch` if the result is not the image that the manifest describes.
    func verify(
        decodedBy decoder: ImageDecoder,
        base: () throws(StoreError) -> [UInt8]?
    ) throws(StoreError) {
        switch phase {
        case .manifest: preconditionFailure("no image to publish")
        case .image(let manifest, let partial):
            //= ENC-1: A receiver MUST check the SHA-256 of the whole encoded image in its store
            //= before it decodes any part of it.
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

    /// Returns the base of a patch if its hash matches. The current image may have been damaged
    /// since its manifest was read. The sender is then informed of a wrong base, and offers the
    /// whole image.
    private static func checked(
        _ base: [UInt8]??,
        for manifest: Manifest
    ) throws(StoreError) -> [UInt8] {
        guard let base = base ?? nil,
            SHA256.digest(of: base) == manifest.baseSHA256
        else { throw .refused(ManifestRefusal(.wrongBase)) }
        return base
    }

    /// Removes all files but the manifest and the image, whose names are durable afterward.
    func tidy() throws(StoreError) {
        for name in StoreForm.transferNames
        where name != Self.manifestName && name != PartialImage.dataName {
            try disk.removeFile(directory.appending(name))
        }
        try disk.synchronizeDirectory(directory)
    }

    /// Removes a transfer's directory and the store's files in it.
    ///
    /// After each step the directory can still be opened as a transfer, because the journals are
    /// removed before the files that they describe.
    ///
    /// - Throws: an error if anything else is in the directory. In that case, the directory stays.
    static func remove(_ directory: FilePath, on disk: Disk) throws(StoreError) {
        guard disk.kind(of: directory) == .directory else { return }
        for name in StoreForm.transferNames {
            let path = directory.appending(name)
            if disk.kind(of: path) == .file { try disk.removeFile(path) }
        }
        try disk.removeDirectory(directory)
    }
}
