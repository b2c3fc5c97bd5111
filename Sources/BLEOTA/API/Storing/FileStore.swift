import BLEOTACore
public import BLEOTAManifest
public import BLEOTAWire
public import SystemPackage

/// Receives one image into a file.
///
/// What arrives is kept in the directory `.NAME.bleota` beside the file NAME, at most four
/// unfinished transfers of it. The verified image replaces the file in one atomic step, and the
/// directory goes. Whatever instant a process is killed at or the power is cut at, the file is the
/// old one or the new one, whole. A symbolic link in place of the file is replaced, not followed.
/// The directory is this user's alone; the file can be read by whom the umask lets.
///
/// ```swift
/// let store = try FileStore(output: "firmware.bin")
/// ```
///
/// The store runs on a queue of its own. Memory is the manifest, a byte or two for each block, and
/// 256 KiB; while an image is decoded also what ``ImageDecoder`` says.
public actor FileStore: ImageStore {
    /// What happens to a file that is there already. An empty file is replaced in every case.
    public enum ExistingOutput: Sendable {
        /// The file is replaced; if it is the very image, the image is not sent again.
        case replaced
        /// The file is replaced, and the whole image is sent, whatever the file is.
        case replacedUnseen
        /// The file stays: only the very image is taken, and of any other nothing is sent. The
        /// error has the code `cannotCreate` with EEXIST.
        case kept
    }

    private let output: FilePath
    private let existingOutput: ExistingOutput
    private let shelf: PartialTransfers
    private let disk: Disk
    private let executor: StoreExecutor
    /// `nil` after an image was published, until another transfer is opened.
    private var lock: DirectoryLock?
    private var transfer: PartialTransfer?
    private var published: StoredImage?
    /// Whether the output was found to be the image of the open transfer.
    private var outputIsImage = false

    /// The queue of this store.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Makes the working directory and locks it for as long as the store lives. Blocks for a few
    /// system calls.
    ///
    /// - Parameters:
    ///   - output: the file to make or to replace.
    ///   - existingOutput: what happens to a file that is there already.
    ///   - imageByteCountLimit: larger images are refused; by default none that the protocol
    ///     allows.
    /// - Throws: a ``StoreError`` with code `cannotCreate` when `output` is a directory or a
    ///   device, or can't be made where it should be, or when another user owns the working
    ///   directory; with code `busy` when another process receives into the same file.
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

    /// The same with the path as a text.
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
            throw .cannotCreate(output, .isDirectory, remedy: "name a file in the directory")
        }
        guard disk.kind(of: output) != .other else {
            throw .cannotCreate(output, .fileExists, remedy: "name a file that is not a device")
        }
        self.output = output
        self.existingOutput = existingOutput
        let working = output.removingLastComponent().appending(".\(name.string).bleota")
        executor = StoreExecutor(label: "bleota.file-store")
        do throws(StoreError) {
            // The file is its user's, who says by the umask who may read it.
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
                // Until now others may have been able to put something there.
                try Self.inspect(shelf)
            }
            lock = try DirectoryLock(working, removesDirectory: true, on: disk)
            // Somebody else may have made it meanwhile.
            try disk.requireOwner(of: working)
        } catch {
            guard case .storeFailed(let errno) = error.code else { throw error }
            throw .cannotCreate(
                output,
                Errno(rawValue: errno),
                remedy: "name a file in a directory that exists and can be written"
            )
        }
    }

    /// Throws if something in the working directory is not of this store's making.
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

    /// Finds the transfer among the unfinished ones, or begins it.
    ///
    /// `current` is the answer only if this store published the image, or another process did and
    /// was stopped before it could tidy up; the output is hashed then.
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

    /// Writes one block in place; one system call.
    public func write(
        _ bytes: [UInt8],
        object: ObjectID,
        blockIndex: Int
    ) throws(StoreError) {
        try opened.write(bytes, object: object, blockIndex: blockIndex)
    }

    /// Waits for the disk, beside the store's queue, once for the data; what was written before is
    /// durable then.
    public func synchronize() async throws(StoreError) {
        let transfer = opened
        guard let flush = try transfer.beginFlush() else { return }
        try await transfer.endFlush(flush.run())
    }

    /// Checks the manifest, and sees that there is space for the whole image.
    ///
    /// If the output is this very image already, every block is held.
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

    /// The counter is always 0: a file is no device that could be set back. A patch may be against
    /// what the output is now, which is hashed for that.
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

    /// Reads the image back from the disk, hashes it, decodes it, renames it over the output and
    /// removes the working directory with every other unfinished transfer.
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
            // The manifest stays until the image is in place, and tells the next process, if this
            // one ends in between, that the output may be this image.
            try transfer.tidy()
            try disk.rename(transfer.directory.appending(PartialImage.dataName), to: output)
        }
        // The new name first, so that no order of the two can lose the image.
        try disk.synchronizeDirectory(outputDirectory)
        try disk.synchronizeDirectory(transfer.directory)
        let image = storedImage(manifest)
        published = image
        release()
        removeWorkingDirectory()
        return image
    }

    /// Closes the transfer; the working directory stays.
    public func release() {
        transfer = nil
        outputIsImage = false
    }

    /// Removes the transfer from the working directory.
    public func discard() {
        guard let transfer else { return }
        release()
        // What can't be removed now is found and judged again when it is opened.
        try? PartialTransfer.remove(transfer.directory, on: disk)
    }

    private var opened: PartialTransfer {
        guard let transfer else { preconditionFailure("no transfer is open") }
        return transfer
    }

    // MARK: - The output

    /// The image of transfer `tag` if this store published it, or another process did and ended
    /// before it could tidy up, and the output still is that image.
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

    /// Whether the output is the image of `manifest`, which is found out by hashing it only if the
    /// length is right. An output that can't be read is to be replaced.
    private func outputMatches(_ manifest: Manifest) -> Bool {
        guard disk.fileByteCount(of: output) == manifest.decodedByteCount,
            let file = try? DiskFile.open(output, on: disk, writable: false),
            (try? file.synchronizeAndForget()) != nil
        else { return false }
        return (try? file.sha256()) == manifest.decodedSHA256
    }

    /// Throws if a file would be lost that is to be kept.
    private func requireReplaceable() throws(StoreError) {
        guard existingOutput == .kept, !outputIsImage, disk.kind(of: output) != nil,
            disk.fileByteCount(of: output) != 0
        else { return }
        throw .cannotCreate(output, .fileExists, remedy: "name another file, or move this one away")
    }

    private func storedImage(_ manifest: Manifest) -> StoredImage {
        StoredImage(manifest, at: output)
    }

    private var outputDirectory: FilePath {
        let directory = output.removingLastComponent()
        return directory.isEmpty ? "." : directory
    }

    /// Removes everything beside the output, if it is ours: after an image was published another
    /// process may receive the next. What can't be removed now is removed another time.
    private func removeWorkingDirectory() {
        guard lock != nil else { return }
        for place in shelf.transfers() { try? PartialTransfer.remove(place, on: disk) }
        lock = nil
    }
}
