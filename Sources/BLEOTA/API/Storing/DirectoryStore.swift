import BLEOTACore
public import BLEOTAManifest
public import BLEOTAWire
public import SystemPackage

/// Keeps the current image and all incoming images in a directory.
///
/// ```text
/// bleota-store, lock            mark the directory as a store, and as in use
/// incoming/TAG/…                unfinished transfers
/// images/TAG/image, manifest    verified images: the current and the previous one
/// current  → images/TAG         replaced in one atomic step
/// previous → images/TAG         the image that was current before
/// counter  → NUMBER             the lowest accepted security counter; a link, because a
///                               link can be replaced atomically
/// running, installing           links that record what the device runs and installs
/// uploads/…, staged             files that arrive over protocols other than bleota's
/// ```
///
/// If the process is killed or the power is cut at any instant, `current` points to either the
/// complete old image or the complete new one. The disk holds at most two images, four
/// unfinished transfers, and two manifests that are not accepted yet. If four unfinished
/// transfers are signed, there may be an unsigned fifth. To make room for a new transfer, the
/// store removes as many unfinished ones as necessary, in the order of `RetentionRule`. A crash may
/// leave an image to which neither `current` nor `previous` points. Such an image counts as an
/// unfinished transfer and is removed when the next image becomes current.
///
/// The store refuses a directory that contains anything else, and never removes a file that it
/// did not make. Only the user that runs the process can read the directory.
///
/// ```swift
/// let store = try DirectoryStore(directory: "/var/lib/firmware")
/// if case .current(let image) = try await store.open(tag, manifestByteCount: 82) { … }
/// ```
///
/// If the image that `previous` points to is sent again with the same manifest, and the policy
/// accepts it, it becomes current again. As long as the stored copy is intact, none of its data
/// is sent.
///
/// The store runs on its own queue. It uses memory for the manifest, plus one or two bytes for
/// each block and 256 KiB. While it accepts a manifest, it uses about 80 more bytes for each block.
/// While it decodes an image, it also uses the memory that ``ImageDecoder`` states.
public actor DirectoryStore: ImageStore {
    let root: FilePath
    let images: FilePath
    let shelf: PartialTransfers
    let disk: Disk
    /// The files that arrive over other protocols.
    var uploads: PartialUploads
    private let held: HeldDirectory
    private let lock: DirectoryLock
    private let executor: StoreExecutor
    private var transfer: PartialTransfer?

    /// The queue on which this store runs.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Opens the store in `directory`, creating the directory if necessary, and locks it until
    /// the store is deallocated. Blocks the caller for the duration of a few system calls.
    ///
    /// - Parameters:
    ///   - directory: the path of the store. Its parent directory must exist.
    ///   - imageByteCountLimit: the maximum length of an accepted image, in bytes. Default: the
    ///     limit of the protocol.
    /// - Throws: a ``StoreError``. Its code is `busy` if another process or store uses the
    ///   directory, and `cannotCreate` if the directory can't be created, is neither empty nor a
    ///   store, or belongs to a user other than the current one or root.
    public init(
        directory: FilePath,
        imageByteCountLimit: Int = Int(UInt32.max)
    ) throws(StoreError) {
        try self.init(directory: directory, imageByteCountLimit: imageByteCountLimit, on: Disk())
    }

    init(
        directory: FilePath,
        imageByteCountLimit: Int = Int(UInt32.max),
        on disk: Disk
    ) throws(StoreError) {
        root = directory
        images = directory.appending(StoreForm.images)
        executor = StoreExecutor(label: "bleota.directory-store")
        do throws(StoreError) {
            if disk.kind(of: directory, followingLinks: true) != .directory {
                try disk.makeDirectory(directory)
            }
            let disk = try disk.holding(directory)
            self.disk = disk
            held = disk.root!
            try disk.requireOwnerOfHeldDirectory()
            shelf = PartialTransfers(
                directory: directory.appending(StoreForm.incoming),
                imageByteCountLimit: imageByteCountLimit,
                disk: disk
            )
            uploads = PartialUploads(
                directory: directory.appending(StoreForm.uploads),
                imageByteCountLimit: imageByteCountLimit,
                disk: disk
            )
            // Check a directory without a marker before anything in it is changed, even before
            // the lock file is created. A marked store already has that file.
            if try StoreMarker.look(in: directory, on: disk) != .present {
                _ = try StoreInspection(of: directory, on: disk)
            }
            lock = try DirectoryLock(directory, removesDirectory: false, on: disk)
            try StoreInspection.prepare(directory, on: disk)
        } catch {
            guard case .storeFailed(let errno) = error.code else { throw error }
            throw .cannotCreateStore(directory, Errno(rawValue: errno))
        }
    }

    // MARK: - Loss of the directory

    /// Waits until the directory has been removed, replaced or unmounted, or its lock file has
    /// been removed, then throws an error. Returns when the task is cancelled.
    ///
    /// Code that keeps a store open for a long time must stop after such a loss, because
    /// another process may open another store under the same name. The check runs once a second
    /// and takes two system calls.
    ///
    /// - Throws: a ``StoreError`` with the code `lost`.
    public nonisolated func awaitLoss() async throws(StoreError) {
        while !Task.isCancelled {
            try requirePresence()
            try? await Task.sleep(for: .seconds(1))
        }
    }

    nonisolated func requirePresence() throws(StoreError) {
        guard held.isWhereItWas, lock.isHeld else { throw .lost(root) }
    }

    // MARK: - ImageStore

    /// Finds the transfer among the unfinished ones and the verified images, or starts it.
    ///
    /// An image that is already current is hashed again before it is reported as current.
    public func open(
        _ tag: TransferTag,
        manifestByteCount: Int
    ) throws(StoreError) -> ResumeState {
        if let transfer { throw .heldByAnotherTransfer(transfer.tag) }
        precondition(
            (ManifestLayout.byteCountMin...ManifestLayout.byteCountMax).contains(manifestByteCount)
        )
        try requirePresence()
        let verified = images.appending(tag.hex)
        if link(StoreForm.current)?.string == tag.hex, let image = try storedImage(at: verified) {
            guard image.manifest.bytes.count == manifestByteCount else {
                throw .manifestMismatch(tag)
            }
            // The process that wrote this link may have been killed before it made the link
            // durable.
            try disk.synchronizeDirectory(root)
            return .current(image)
        }
        // An image that was moved here but never linked is completed in place, and one that the
        // disk has since damaged is repaired in place.
        let transfer =
            if disk.kind(of: verified) == .directory {
                try PartialTransfer(
                    tag,
                    manifestByteCount: manifestByteCount,
                    in: verified,
                    imageByteCountLimit: shelf.imageByteCountLimit,
                    on: disk
                )
            } else {
                try shelf.open(tag, manifestByteCount: manifestByteCount)
            }
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

    /// Waits until all blocks written before the call are durable. The flush of an image runs
    /// on another queue, so more blocks can be written meanwhile.
    public func synchronize() async throws(StoreError) {
        let transfer = opened
        guard let flush = try transfer.beginFlush() else { return }
        try await transfer.endFlush(flush.run())
    }

    /// Checks the manifest, makes sure that there is space for the whole image, and copies all
    /// blocks that the current image already has, so an image that differs little from it needs
    /// few blocks from the sender.
    ///
    /// Refuses an encoded image if the current image already has so many blocks of the decoded
    /// image that sending the unencoded image would take fewer bytes. Removes other unfinished
    /// transfers if there are too many, in the order of `RetentionRule`.
    public func acceptManifest(
        unless refusal: @Sendable (Manifest) -> ManifestRefusal?,
        preferring isTrusted: @Sendable (Manifest) -> Bool
    ) throws(StoreError) -> (manifest: Manifest, held: [Bool]) {
        try requirePresence()
        let current = currentContent()
        let (manifest, held) = try opened.acceptManifest(
            unless: { manifest in
                if let refusal = refusal(manifest) { return refusal }
                return ImageSketch.refusal(of: manifest) {
                    current?.hashes(blockByteCount: manifest.blockByteCount)?.blocks ?? []
                }
            },
            makePlace: { (manifest) throws(StoreError) in
                try shelf.makePlace(
                    for: manifest,
                    in: opened.directory,
                    besides: unreferencedImages().filter {
                        $0.lastComponent?.string != manifest.tag.hex
                    },
                    preferring: isTrusted
                )
            }
        )
        guard manifest.encoding == nil, let current else { return (manifest, held) }
        return (manifest, try opened.adoptBlocks(from: current))
    }

    private func currentContent() -> StoredContent? {
        guard let name = link(StoreForm.current) else { return nil }
        return StoredContent(in: images.appending(name), on: disk)
    }

    /// Reads the security counter and the manifest of the current image.
    public func status() throws(StoreError) -> StoreStatus {
        var status = StoreStatus(counter: try counter())
        status.decodesImages = true
        if let name = link(StoreForm.current) {
            let directory = images.appending(name)
            // An image whose manifest is unreadable can't be the base of a patch, but a whole
            // image can still replace it.
            let manifest = try? PartialTransfer.manifest(in: directory, on: disk)
            status.currentSHA256 = manifest?.decodedSHA256
        }
        return status
    }

    private func counter() throws(StoreError) -> UInt32 {
        guard disk.kind(of: counterLink) != nil else { return 0 }
        guard let text = disk.linkTarget(of: counterLink)?.string, let counter = UInt32(text) else {
            throw .counterUnreadable(counterLink)
        }
        return counter
    }

    /// Replaces the link `counter` in one atomic step and returns once the change is durable.
    public func raiseCounter(to counter: UInt32) throws(StoreError) {
        try requirePresence()
        guard try counter > self.counter() else { return }
        try disk.replaceLink(counterLink, target: FilePath(String(counter)))
        try disk.synchronizeDirectory(root)
    }

    private var counterLink: FilePath { root.appending(StoreForm.counter) }

    /// Reads the image back from disk, hashes it, decodes it, and makes `current` point to it.
    public func publish(decodedBy decoder: ImageDecoder) throws(StoreError) -> StoredImage {
        let transfer = opened
        try requirePresence()
        do throws(StoreError) {
            try transfer.verify(decodedBy: decoder) { () throws(StoreError) in try base() }
        } catch {
            if error.code == .imageMismatch { discard() }
            throw error
        }
        try transfer.tidy()
        try moveToImages(transfer)
        let manifest = transfer.manifest
        try makeCurrent(transfer.tag, isSameImage: manifest.decodedSHA256 == currentSHA256)
        self.transfer = nil
        removeUnreferencedImages()
        return StoredImage(manifest, at: transfer.directory.appending(PartialImage.dataName))
    }

    /// Closes the transfer and keeps its directory.
    public func release() {
        transfer = nil
    }

    /// Removes the transfer's directory, unless `current` or `previous` points to it.
    public func discard() {
        guard let transfer else { return }
        self.transfer = nil
        // A transfer doesn't own an image that a link points to.
        guard !linkedTags.contains(transfer.tag.hex) else { return }
        // A directory that can't be removed now is found and checked when it is next opened.
        try? PartialTransfer.remove(transfer.directory, on: disk)
    }

    private var opened: PartialTransfer {
        guard let transfer else { preconditionFailure("no transfer is open") }
        return transfer
    }

    // MARK: - Images

    /// The image that `current` points to; `nil` if there is none, or if its hash shows that it
    /// is damaged.
    public func current() throws(StoreError) -> StoredImage? {
        guard let name = link(StoreForm.current) else { return nil }
        return try storedImage(at: images.appending(name))
    }

    /// The content of the current image, for use as the base of a patch.
    private func base() throws(StoreError) -> [UInt8]? {
        guard let name = link(StoreForm.current) else { return nil }
        return try DiskFile.base(images.appending(name).appending(PartialImage.dataName), on: disk)
    }

    private func storedImage(at directory: FilePath) throws(StoreError) -> StoredImage? {
        let path = directory.appending(PartialImage.dataName)
        guard let manifest = try PartialTransfer.manifest(in: directory, on: disk),
            disk.fileByteCount(of: path) == manifest.decodedByteCount
        else { return nil }
        let sha256 = try DiskFile.open(path, on: disk, writable: false).sha256()
        guard sha256 == manifest.decodedSHA256 else { return nil }
        return StoredImage(manifest, at: path)
    }

    private func moveToImages(_ transfer: PartialTransfer) throws(StoreError) {
        let verified = images.appending(transfer.tag.hex)
        if transfer.directory != verified {
            try disk.rename(transfer.directory, to: verified)
            transfer.directory = verified
        }
        // Synchronize the new name first. Then a power cut between the two calls can't lose the
        // image.
        try disk.synchronizeDirectory(images)
        try disk.synchronizeDirectory(shelf.directory)
    }

    /// The SHA-256 of the current image, as stated in its manifest.
    private var currentSHA256: [UInt8]? {
        link(StoreForm.current).flatMap { name in
            (try? PartialTransfer.manifest(in: images.appending(name), on: disk))?.decodedSHA256
        }
    }

    /// - Parameter isSameImage: whether the current image has the same content under another
    ///   manifest, for example one with fewer signatures. In that case `previous` does not
    ///   change: if both links pointed to the same content, there would be no image to go back
    ///   to.
    private func makeCurrent(
        _ tag: TransferTag,
        isSameImage: Bool
    ) throws(StoreError) {
        let old = link(StoreForm.current)?.string
        if old != tag.hex {
            if let old, !isSameImage {
                try disk.replaceLink(root.appending(StoreForm.previous), target: target(old))
            }
            try disk.replaceLink(root.appending(StoreForm.current), target: target(tag.hex))
        }
        try disk.synchronizeDirectory(root)
    }

    /// Removes images that neither link points to. An image that can't be removed now is
    /// removed at the next opportunity.
    private func removeUnreferencedImages() {
        for place in unreferencedImages() { try? PartialTransfer.remove(place, on: disk) }
    }

    /// The images that neither link points to. Each was verified, but a crash occurred before
    /// the image was made current or before it was removed.
    private func unreferencedImages() -> [FilePath] {
        let kept = linkedTags
        return disk.names(in: images)
            .filter { StoreForm.isTag($0) && !kept.contains($0.string) }
            .map { images.appending($0) }
    }

    var linkedTags: [String] {
        [link(StoreForm.current), link(StoreForm.previous)].compactMap { $0?.string }
    }

    private func target(_ name: String) -> FilePath {
        FilePath(root: nil, [StoreForm.images]).appending(name)
    }

    /// The name in `images` that a link points to.
    func link(_ name: FilePath.Component) -> FilePath.Component? {
        disk.linkTarget(of: root.appending(name)).flatMap(StoreForm.tag)
    }
}
