import BLEOTACore
public import BLEOTAManifest
public import BLEOTAWire
public import SystemPackage

/// Keeps the current image in a directory, and what arrives until it is the current one.
///
///     bleota-store, lock            say that the directory is a store, and that it is in use
///     incoming/TAG/…                unfinished transfers
///     images/TAG/image, manifest    verified images: the current one and the one before
///     current  → images/TAG         replaced in one atomic step
///     previous → images/TAG         what was current before
///     counter  → NUMBER             the lowest security counter taken: a link, for a link is
///                                   replaced whole
///     running, installing           what runs, of a device that says it: a ``RunningRecord``
///
/// Whatever instant a process is killed at or the power is cut at, `current` leads to the old image
/// or to the new one, whole. The disk holds at most two images, four unfinished transfers, or five
/// where four of them are signed and one is not, and two manifests that are not yet accepted; of
/// unfinished ones as many go as it takes to make room for another (`RetentionRule` has the
/// order). An image that neither link leads to, because a process was killed before it was linked
/// or before it was removed, counts as a transfer, and goes when the next image is current.
///
/// A directory with something else in it is refused, and nothing but what the store made is ever
/// removed from its own. All of it can be read by this user alone.
///
/// ```swift
/// let store = try DirectoryStore(directory: "/var/lib/firmware")
/// if case .current(let image) = try await store.open(tag, manifestByteCount: 82) { … }
/// ```
///
/// Sending the image that `previous` leads to makes it current again without a transfer.
///
/// The store runs on a queue of its own. Memory is the manifest, a byte or two for each block, and
/// 256 KiB; while a manifest is accepted some 80 bytes for each block more, and what
/// ``ImageDecoder`` says while an image is decoded.
public actor DirectoryStore: ImageStore {
    private let root: FilePath
    private let images: FilePath
    private let shelf: PartialTransfers
    private let disk: Disk
    private let held: HeldDirectory
    private let lock: DirectoryLock
    private let executor: StoreExecutor
    private var transfer: PartialTransfer?

    /// The queue of this store.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Opens the store in `directory`, which is made if it is not there, and locks it for as long
    /// as the store lives. Blocks for a few system calls.
    ///
    /// - Parameter imageByteCountLimit: larger images are refused; by default none that the
    ///   protocol allows.
    /// - Throws: a ``StoreError`` with code `busy` when another process or store uses the
    ///   directory, with code `cannotCreate` when it can't be made, is no store and not empty, or
    ///   belongs to a user who is neither this one nor root.
    public init(
        directory: FilePath,
        imageByteCountLimit: Int = Int(UInt32.max)
    ) throws(StoreError) {
        try self.init(directory: directory, imageByteCountLimit: imageByteCountLimit, on: Disk())
    }

    /// The same with the path as a text.
    public init(
        directory: String,
        imageByteCountLimit: Int = Int(UInt32.max)
    ) throws(StoreError) {
        try self.init(
            directory: FilePath(directory),
            imageByteCountLimit: imageByteCountLimit
        )
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
            // Before anything is touched, even the lock's file, which every marked store has.
            if try StoreMarker.look(in: directory, on: disk) != .present {
                _ = try StoreInspection(of: directory, on: disk)
            }
            lock = try DirectoryLock(directory, removesDirectory: false, on: disk)
            try Self.prepare(directory, on: disk)
        } catch {
            guard case .storeFailed(let errno) = error.code else { throw error }
            throw .cannotCreate(
                directory,
                Errno(rawValue: errno),
                remedy: "name a directory whose parent exists and can be written"
            )
        }
    }

    /// Makes what is missing of a store, durably, and closes it to others.
    private static func prepare(_ root: FilePath, on disk: Disk) throws(StoreError) {
        // Another process may have made something of it meanwhile; nobody does now.
        var inspection = try StoreInspection(of: root, on: disk)
        if !inspection.open.isEmpty {
            for place in inspection.open { try disk.setMode(place.path, place.mode) }
            // Until now others may have been able to put something there.
            inspection = try StoreInspection(of: root, on: disk)
        }
        if !inspection.isMarked { try StoreMarker.write(in: root, on: disk) }
        try disk.makeDirectory(root.appending(StoreForm.images))
        try disk.makeDirectory(root.appending(StoreForm.incoming))
        try disk.synchronizeDirectory(root)
    }

    // MARK: - Being there

    /// Waits until the directory was removed, replaced or unmounted, or the lock taken out of it,
    /// and throws that; returns when the task is cancelled. Who uses a store for long can't go on
    /// then: another process may open another store under the same name. Looks every second, which
    /// takes two system calls.
    public nonisolated func awaitLoss() async throws(StoreError) {
        while !Task.isCancelled {
            try requirePresence()
            try? await Task.sleep(for: .seconds(1))
        }
    }

    private nonisolated func requirePresence() throws(StoreError) {
        guard held.isWhereItWas, lock.isHeld else { throw .lost(root) }
    }

    // MARK: - ImageStore

    /// Finds the transfer among the unfinished ones and the verified images, or begins it.
    ///
    /// An image that is current already is hashed, as is one that was verified and not linked.
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
            // It was linked, perhaps by a process that could not see to it that the link lasts.
            try disk.synchronizeDirectory(root)
            return .current(image)
        }
        // An image that was moved and not yet linked is finished where it is; one that the disk
        // damaged later is repaired there.
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

    /// Checks the manifest, sees that there is space for the whole image, and copies what the
    /// current image has of it, so that an update that differs little is little to send. Refuses an
    /// encoded image of which it has so much that the image as it is would be less to send.
    ///
    /// Other unfinished transfers go where there are too many, those first of which least is here.
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

    /// Reads the link `counter`, and the manifest of the current image.
    public func status() throws(StoreError) -> StoreStatus {
        var status = StoreStatus(counter: try counter())
        status.decodesImages = true
        if let name = link(StoreForm.current) {
            let directory = images.appending(name)
            // What can't be read is no base of a patch, and is repaired by the next whole image.
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

    /// Replaces the link in one atomic step; returns when it is durable.
    public func raiseCounter(to counter: UInt32) throws(StoreError) {
        try requirePresence()
        guard try counter > self.counter() else { return }
        try disk.replaceLink(counterLink, target: FilePath(String(counter)))
        try disk.synchronizeDirectory(root)
    }

    private var counterLink: FilePath { root.appending(StoreForm.counter) }

    /// Reads the image back from the disk, hashes it, decodes it, and moves `current` to it.
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

    /// Closes the transfer; its directory stays.
    public func release() {
        transfer = nil
    }

    /// Removes the transfer's directory, unless `current` or `previous` leads to it.
    public func discard() {
        guard let transfer else { return }
        self.transfer = nil
        // The images that the links lead to are not this transfer's to remove.
        guard !linkedTags.contains(transfer.tag.hex) else { return }
        // What can't be removed now is found and judged again when it is opened.
        try? PartialTransfer.remove(transfer.directory, on: disk)
    }

    private var opened: PartialTransfer {
        guard let transfer else { preconditionFailure("no transfer is open") }
        return transfer
    }

    // MARK: - Images

    /// The image that `current` leads to; `nil` if there is none or if it is damaged, which is seen
    /// by hashing it.
    public func current() throws(StoreError) -> StoredImage? {
        guard let name = link(StoreForm.current) else { return nil }
        return try storedImage(at: images.appending(name))
    }

    /// All of the image that `current` leads to, which a patch may be against.
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
        // The new name first, so that no order of the two can lose the image.
        try disk.synchronizeDirectory(images)
        try disk.synchronizeDirectory(shelf.directory)
    }

    /// What the manifest of the image that is current says of it.
    private var currentSHA256: [UInt8]? {
        link(StoreForm.current).flatMap { name in
            (try? PartialTransfer.manifest(in: images.appending(name), on: disk))?.decodedSHA256
        }
    }

    /// - Parameter isSameImage: under another manifest, such as one with one more signature. Then
    ///   the image before stays `previous`: the same image twice would leave none to go back to.
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

    /// Removes images that neither link leads to. What can't be removed now is removed another
    /// time.
    private func removeUnreferencedImages() {
        for place in unreferencedImages() { try? PartialTransfer.remove(place, on: disk) }
    }

    /// The images that neither link leads to: verified, and not made current because the power was
    /// cut, or not removed.
    private func unreferencedImages() -> [FilePath] {
        let kept = linkedTags
        return disk.names(in: images)
            .filter { StoreForm.isTag($0) && !kept.contains($0.string) }
            .map { images.appending($0) }
    }

    private var linkedTags: [String] {
        [link(StoreForm.current), link(StoreForm.previous)].compactMap { $0?.string }
    }

    private func target(_ name: String) -> FilePath {
        FilePath(root: nil, [StoreForm.images]).appending(name)
    }

    /// The name in `images` that a link leads to.
    private func link(_ name: FilePath.Component) -> FilePath.Component? {
        disk.linkTarget(of: root.appending(name)).flatMap(StoreForm.tag)
    }
}
