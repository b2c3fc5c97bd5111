import BLEOTAManifest
import BLEOTAWire
import SystemPackage

extension DirectoryStore {
    // MARK: - Unfinished uploads

    /// Finds an upload, or starts it, and returns how many of its bytes the store has.
    func openUpload(_ id: UploadID) throws(StoreError) -> Int {
        try requirePresence()
        return try uploads.open(id).byteCount
    }

    /// Appends bytes to an upload, if the upload ends at `offset`.
    ///
    /// - Parameter refusal: the policy, which is asked once the first manifest of a bundle has
    ///   arrived. A refused upload is removed.
    /// - Returns: how many bytes the store has then; `nil` if it no longer has the upload.
    func append(
        _ bytes: [UInt8],
        to id: UploadID,
        at offset: Int,
        unless refusal: @Sendable (Manifest, StoreStatus) -> ManifestRefusal?
    ) throws(StoreError) -> Int? {
        guard let upload = uploads[id] else { return nil }
        guard offset == upload.byteCount else { return upload.byteCount }
        do throws(StoreError) {
            try upload.append(bytes)
            if let manifest = try upload.takeFirstManifest(),
                let refusal = refusal(manifest, try status())
            {
                throw .refused(refusal)
            }
        } catch {
            uploads.remove(id)
            throw error
        }
        return upload.byteCount
    }

    /// Makes the bytes of an upload durable.
    func synchronizeUpload(_ id: UploadID) throws(StoreError) {
        try uploads[id]?.synchronize()
    }

    /// The content of a complete upload; `nil` if it does not match its SHA-256.
    func content(of id: UploadID) throws(StoreError) -> ByteSource? {
        guard let upload = uploads[id], upload.isComplete, try upload.isIntact() else { return nil }
        return try content(at: upload.directory.appending(PartialUpload.dataName))
    }

    func removeUpload(_ id: UploadID) { uploads.remove(id) }

    // MARK: - Images

    /// The image that waits for a restart; `nil` if there is none, or if its transfer is gone.
    func staged() -> StagedImage? {
        guard let target = disk.linkTarget(of: stagedLink), let image = StagedImage(target: target),
            directory(of: image.tag) != nil
        else { return nil }
        return image
    }

    /// Durably replaces the record of the image that waits for a restart, and removes the transfer
    /// of the image that waited before.
    func stage(_ image: StagedImage?) throws(StoreError) {
        try requirePresence()
        let old = staged()
        if let image {
            try disk.replaceLink(stagedLink, target: image.target)
        } else {
            try disk.removeFile(stagedLink)
        }
        try disk.synchronizeDirectory(root)
        guard let old, old.tag != image?.tag, !linkedTags.contains(old.tag.hex) else { return }
        try? PartialTransfer.remove(shelf.directory(of: old.tag), on: disk)
    }

    private var stagedLink: FilePath { root.appending(StoreForm.staged) }

    /// The manifests of the current and of the previous image.
    func linkedManifests() -> (current: Manifest?, previous: Manifest?) {
        func manifest(_ name: FilePath.Component) -> Manifest? {
            link(name).flatMap { tag in
                (try? PartialTransfer.manifest(in: images.appending(tag), on: disk)) ?? nil
            }
        }
        return (manifest(StoreForm.current), manifest(StoreForm.previous))
    }

    /// The accepted manifest of a transfer or of an image; `nil` if the store has none.
    func manifest(of tag: TransferTag) -> Manifest? {
        directory(of: tag).flatMap { (try? PartialTransfer.manifest(in: $0, on: disk)) ?? nil }
    }

    /// The decoded content of a transfer or of an image; `nil` if it is not there.
    func content(of tag: TransferTag) -> ByteSource? {
        guard let directory = directory(of: tag) else { return nil }
        return try? content(at: directory.appending(PartialImage.dataName))
    }

    private func directory(of tag: TransferTag) -> FilePath? {
        guard let name = FilePath.Component(tag.hex) else { return nil }
        return [images.appending(name), shelf.directory(of: tag)]
            .first { disk.kind(of: $0) == .directory }
    }

    private func content(at path: FilePath) throws(StoreError) -> ByteSource {
        let number = try disk.openFile(path, writable: false)
        do throws(FirmwareError) {
            return .file(try ImageFile(taking: number, fileName: "The upload"))
        } catch {
            throw disk.failure(.ioError, to: "read", path)
        }
    }
}
