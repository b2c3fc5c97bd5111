import BLEOTACore
public import BLEOTAManifest
public import BLEOTAWire
public import SystemPackage

/// Receives one image into a file.
///
/// Incoming data is kept in the directory `.NAME.bleota` next to the file NAME. The directory
/// keeps as many unfinished transfers as a ``DirectoryStore`` does. The verified image replaces
/// the file in one atomic step, and the directory is removed. If the process is killed or the
/// power is cut at any instant, the file is either the complete old one or the complete new
/// one. If the path names a symbolic link, the link is replaced, not followed. Only the user
/// that runs the process can access the directory; the umask determines who can read the file.
///
/// ```swift
/// let store = try FileStore(output: "firmware.bin")
/// ```
///
/// The store runs on its own queue. It uses memory for the manifest, plus one or two bytes for each
/// block and 256 KiB. While it decodes an image, it also uses the memory that ``ImageDecoder``
/// states.
public actor FileStore: ImageStore {
    /// The treatment of a file that already exists. An empty file is always replaced.
    public enum ExistingOutput: Sendable {
        /// The file is replaced. If it already is the image, the image is not sent again.
        case replaced
        /// The file is replaced without being read, and the whole image is sent.
        case replacedUnseen
        /// The file is kept. Only an image identical to the file is accepted; for any other
        /// image, nothing is sent and the transfer fails with the code `cannotCreate` and
        /// EEXIST.
        case kept
    }

    private let output: FilePath
    private let existingOutput: ExistingOutput
    private let shelf: PartialTransfers
    private let disk: Disk
    private let executor: StoreExecutor
    /// `nil` from the publication of an image until another transfer is opened.
    private var lock: DirectoryLock?
    private var transfer: PartialTransfer?
    private var published: StoredImage?
    /// Whether the output file was found to be the image of the open transfer.
    private var outputIsImage = false

    /// The queue on which this store runs.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Locks the working directory, creating it if necessary, until the store is deallocated.
    /// Blocks the caller for the duration of a few system calls.
    ///
    /// - Parameters:
    ///   - output: the file to create or replace.
    ///   - existingOutput: the treatment of a file that already exists.
    ///   - imageByteCountLimit: the maximum length of an accepted image, in bytes. Default: the
    ///     limit of the protocol.
    /// - Throws: a ``StoreError`` with the code `cannotCreate` if `output` is a directory or a
    ///   device, if it can't be created, or if another user owns the working directory. The code
    ///   is `busy` if another process is receiving into the same file.
    public init(
        output: FilePath,
        existingOutput: ExistingOutput = .replaced,
        imageByteCountLimit: Int = Int(UInt32.max)
    ) throws(StoreError) {
        try self.init(
            output: output,
            existingOutput: existingOutput,
            imageByteCountLimit: imageByteCountLimit,
            on: Disk()
        )
    }

    /// The same initializer, with the path as a string.
    public init(
        output: String,
        existingOutput: ExistingOutput = .replaced,
        imageByteCountLimit: Int = Int(UInt32.max)
    ) throws(StoreError) {
        try self.init(
            output: FilePath(output),
            existingOutput: existingOutput,
            imageByteCountLimit: imageByteCountLimit
        )
    }

    init(
        output: FilePath,
        existingOutput: ExistingOutput = .replaced,
        imageByteCountLimit: Int = Int(UInt32.max),
        on disk: Disk
    ) throws(StoreError) {
        guard let name = output.lastComponent, name.kind == .regular,
            disk.kind(of: output, followingLinks: true) != .directory
        else {
            throw .cannotCreate(output, .isDirectory, remedy: "choose a file in that directory")
        }
        guard disk.kind(of: output) != .other else {
            throw .cannotCreate(output, .fileExists, remedy: "choose a file that is not a device")
        }
        self.output = output
        self.existingOutput = existingOutput
        let working = output.removingLastComponent().appending(".\(name.string).bleota")
        executor = StoreExecutor(label: "bleota.file-store")
        do throws(StoreError) {
            // The file belongs to the user, whose umask determines who can read it.
            let disk = try disk.holding(output.removingLastComponent(), .byUmask)
            self.disk = disk
            shelf = PartialTransfers(
                directory: working,
                imageByteCountLimit: imageByteCountLimit,
                disk: disk
            )
            if let kind = disk.kind(of: working), kind != .directory {
                throw .notOfTheStore(working)
            }
            try Self.inspect(shelf)
            if let mode = disk.kindAndMode(of: working)?.mode, mode != 0o700 {
                try disk.setMode(working, 0o700)
                // Until now, other users may have been able to add files here.
                try Self.inspect(shelf)
            }
            lock = try DirectoryLock(working, removesDirectory: true, on: disk)
            // Another user may have created the directory in the meantime.
            try disk.requireOwner(of: working)
        } catch {
            guard case .storeFailed(let errno) = error.code else { throw error }
            throw .cannotCreate(
                output,
                Errno(rawValue: errno),
                remedy: "choose a file in a directory that exists and is writable"
            )
        }
    }

    /// Throws if the working directory has contents that this store did not make.
    private static func inspect(_ shelf: PartialTransfers) throws(StoreError) {
        let disk = shelf.disk
        try disk.requireOwner(of: shelf.directory)
        try disk.requireOwner(of: shelf.directory.appending(StoreForm.lock))
        for place in shelf.transfers() {
            try disk.requireOwner(of: place)
            try StoreInspection.files(in: place, on: disk)
        }
    }

    // MARK: - ImageStore

    /// Finds the transfer among the unfinished ones, or starts it.
    ///
    /// Returns ``ResumeState/current(_:)`` only if this store published the image, or if
    /// another process published it and was stopped before it could clean up. The output file
    /// is hashed to make sure.
    public func open(
        _ tag: TransferTag,
        manifestByteCount: Int
    ) throws(StoreError) -> ResumeState {
        if let transfer { throw .heldByAnotherTransfer(transfer.tag) }
        precondition(
            (ManifestLayout.byteCountMin...ManifestLayout.byteCountMax).contains(manifestByteCount)
        )
        if let image = try alreadyPublished(tag) {
            guard image.manifest.bytes.count == manifestByteCount else {
                throw .manifestMismatch(tag)
            }
            published = image
            try disk.synchronizeDirectory(outputDirectory)
            removeWorkingDirectory()
            return .current(image)
        }
        if lock == nil {
            lock = try DirectoryLock(shelf.directory, removesDirectory: true, on: disk)
        }
        let transfer = try shelf.open(tag, manifestByteCount: manifestByteCount)
        self.transfer = transfer
        return transfer.held
    }

    /// Writes one block in place, with one system call.
    public func write(
        _ bytes: [UInt8],
        object: ObjectID,
        blockIndex: Int
    ) throws(StoreError) {
        try opened.write(bytes, object: object, blockIndex: blockIndex)
    }

    /// Waits until all blocks written before the call are durable. The flush of an image runs on
    /// another queue, so more blocks can be written meanwhile.
    public func synchronize() async throws(StoreError) {
        let transfer = opened
        guard let flush = try transfer.beginFlush() else { return }
        try await transfer.endFlush(flush.run())
    }

    /// Checks the manifest and makes sure that there is space for the whole image.
    ///
    /// If the output file already is the image, every block counts as held, except with
    /// ``ExistingOutput/replacedUnseen``.
    public func acceptManifest(
        unless refusal: @Sendable (Manifest) -> ManifestRefusal?,
        preferring isTrusted: @Sendable (Manifest) -> Bool
    ) throws(StoreError) -> (manifest: Manifest, held: [Bool]) {
        let accepted = try opened.acceptManifest(
            unless: refusal,
            makePlace: { (manifest) throws(StoreError) in
                try shelf.makePlace(
                    for: manifest,
                    in: opened.directory,
                    preferring: isTrusted
                )
            }
        )
        outputIsImage =
            existingOutput != .replacedUnseen && outputMatches(accepted.manifest)
        do throws(StoreError) {
            try requireReplaceable()
        } catch {
            discard()
            throw error
        }
        guard outputIsImage else { return accepted }
        return (accepted.manifest, Array(repeating: true, count: accepted.held.count))
    }

    /// The status of the store. The counter is always 0, because a file is not a device that
    /// could be downgraded. If patches are supported, the output file is hashed, since it may
    /// be the base of a patch.
    public func status() -> StoreStatus {
        var status = StoreStatus(counter: 0)
        status.decodesImages = true
        if ImageDecoder.compressions.contains(.patch),
            let byteCount = disk.fileByteCount(of: output),
            byteCount <= ImageDecoder.inMemoryByteCountMax
        {
            status.currentSHA256 = try? DiskFile.open(output, on: disk, writable: false).sha256()
        }
        return status
    }

    /// Does nothing.
    public func raiseCounter(to counter: UInt32) {}

    /// Reads the image back from the disk, hashes it, decodes it, renames it over the output
    /// file, and removes the working directory with all other unfinished transfers.
    public func publish(decodedBy decoder: ImageDecoder) throws(StoreError) -> StoredImage {
        let transfer = opened
        let manifest = transfer.manifest
        if !(outputIsImage && outputMatches(manifest)) {
            do throws(StoreError) {
                try transfer.verify(decodedBy: decoder) { () throws(StoreError) in
                    try DiskFile.base(output, on: disk)
                }
            } catch {
                outputIsImage = false
                if error.code == .imageMismatch { discard() }
                throw error
            }
            try requireReplaceable()
            // The manifest stays until the image is in place. If this process ends before that,
            // the manifest shows the next process that the output file may be this image.
            try transfer.tidy()
            try disk.rename(transfer.directory.appending(PartialImage.dataName), to: output)
        }
        // Synchronize the new name first. Then a power cut between the two calls can't lose the
        // image.
        try disk.synchronizeDirectory(outputDirectory)
        try disk.synchronizeDirectory(transfer.directory)
        let image = storedImage(manifest)
        published = image
        release()
        removeWorkingDirectory()
        return image
    }

    /// Closes the transfer and keeps the working directory.
    public func release() {
        transfer = nil
        outputIsImage = false
    }

    /// Removes the transfer from the working directory.
    public func discard() {
        guard let transfer else { return }
        release()
        // A directory that can't be removed now is found and checked when it is next opened.
        try? PartialTransfer.remove(transfer.directory, on: disk)
    }

    private var opened: PartialTransfer {
        guard let transfer else { preconditionFailure("no transfer is open") }
        return transfer
    }

    // MARK: - The output

    /// The image of transfer `tag`, if the output file still is that image, and the image was
    /// published by this store, or by another process that ended before it could clean up.
    private func alreadyPublished(_ tag: TransferTag) throws(StoreError) -> StoredImage? {
        let manifest: Manifest
        if let published, published.manifest.tag == tag {
            manifest = published.manifest
        } else {
            let place = shelf.directory(of: tag)
            guard disk.kind(of: place.appending(PartialImage.dataName)) == nil,
                let left = try PartialTransfer.manifest(in: place, on: disk)
            else { return nil }
            manifest = left
        }
        return outputMatches(manifest) ? storedImage(manifest) : nil
    }

    /// Whether the output file is the image of `manifest`. The file is hashed only if its
    /// length is correct. A file that can't be read does not match, so it will be replaced.
    private func outputMatches(_ manifest: Manifest) -> Bool {
        guard disk.fileByteCount(of: output) == manifest.decodedByteCount,
            let file = try? DiskFile.open(output, on: disk, writable: false),
            (try? file.synchronizeAndForget()) != nil
        else { return false }
        return (try? file.sha256()) == manifest.decodedSHA256
    }

    /// Throws if publishing would replace a file that must be kept.
    private func requireReplaceable() throws(StoreError) {
        guard existingOutput == .kept, !outputIsImage, disk.kind(of: output) != nil,
            disk.fileByteCount(of: output) != 0
        else { return }
        throw .cannotCreate(
            output,
            .fileExists,
            remedy:
                "choose another file, or move this one elsewhere"
        )
    }

    private func storedImage(_ manifest: Manifest) -> StoredImage {
        StoredImage(manifest, at: output)
    }

    private var outputDirectory: FilePath {
        let directory = output.removingLastComponent()
        return directory.isEmpty ? "." : directory
    }

    /// Removes the working directory if this store holds its lock. After an image has been
    /// published, another process may receive the next one. A directory that can't be removed
    /// now is removed at the next opportunity.
    private func removeWorkingDirectory() {
        guard lock != nil else { return }
        for place in shelf.transfers() { try? PartialTransfer.remove(place, on: disk) }
        lock = nil
    }
}
