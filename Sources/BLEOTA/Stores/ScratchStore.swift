import BLEOTACore
package import BLEOTAManifest
package import BLEOTAWire
import Glibc
import SystemPackage

/// Receives images only to check that they arrive, and keeps none. The bytes are in a nameless
/// file, which ceases to exist when it is closed or the process ends.
///
/// Memory: the manifest, a byte for each block, and the memory that ``ImageDecoder`` needs. An
/// image that arrived encoded is decoded and hashed; the decoded image is not stored.
package actor ScratchStore: ImageStore {
    private struct Transfer {
        let tag: TransferTag
        var manifestBytes: [UInt8]
        var isHeld: [Bool]
        var image: (manifest: Manifest, file: DiskFile)?
    }

    private let disk = Disk()
    private let executor = StoreExecutor(label: "bleota.scratch-store")
    private var transfer: Transfer?
    private var isOpen = false
    private var published: StoredImage?

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    package init() {}

    package func open(
        _ tag: TransferTag,
        manifestByteCount: Int
    ) throws(StoreError) -> ResumeState {
        if isOpen, let transfer { throw .heldByAnotherTransfer(transfer.tag) }
        if let published, published.manifest.tag == tag {
            guard published.manifest.bytes.count == manifestByteCount else {
                throw .manifestMismatch(tag)
            }
            return .current(published)
        }
        if transfer?.tag != tag || transfer?.manifestBytes.count != manifestByteCount {
            transfer = Self.begun(tag, manifestByteCount)
        }
        isOpen = true
        let transfer = opened
        if let image = transfer.image { return .image(image.manifest, held: transfer.isHeld) }
        let gap = transfer.isHeld.firstIndex(of: false)
        return .manifest(blockCount: gap ?? transfer.isHeld.count)
    }

    private static func begun(_ tag: TransferTag, _ manifestByteCount: Int) -> Transfer {
        let blockByteCount = ManifestLayout.storageBlockByteCount
        let blockCount = (manifestByteCount + blockByteCount - 1) / blockByteCount
        return Transfer(
            tag: tag,
            manifestBytes: Array(repeating: 0, count: manifestByteCount),
            isHeld: Array(repeating: false, count: blockCount)
        )
    }

    package func write(
        _ bytes: [UInt8],
        object: ObjectID,
        blockIndex: Int
    ) throws(StoreError) {
        if let image = opened.image {
            precondition(object == .image)
            guard !opened.isHeld[blockIndex] else { return }
            try image.file.write(bytes, at: blockIndex * image.manifest.blockByteCount)
        } else {
            precondition(object == .manifest)
            let start = blockIndex * ManifestLayout.storageBlockByteCount
            opened.manifestBytes.replaceSubrange(start..<start + bytes.count, with: bytes)
        }
        opened.isHeld[blockIndex] = true
    }

    /// Does nothing, because nothing outlives this process.
    package func synchronize() {}

    package func acceptManifest(
        unless refusal: @Sendable (Manifest) -> ManifestRefusal?,
        preferring isTrusted: @Sendable (Manifest) -> Bool
    ) throws(StoreError) -> (manifest: Manifest, held: [Bool]) {
        let (tag, bytes) = (opened.tag, opened.manifestBytes)
        guard TransferTag(hashing: bytes) == tag else {
            opened = Self.begun(tag, bytes.count)
            throw .manifestMismatch(tag)
        }
        let manifest: Manifest
        do throws(ManifestError) {
            manifest = try Manifest(bytes: bytes)
        } catch {
            throw .malformed(error)
        }
        if let refusal = refusal(manifest) { throw .refused(refusal) }
        let file = try DiskFile.scratch(byteCount: manifest.imageByteCount, on: disk)
        opened.image = (manifest, file)
        opened.isHeld = Array(repeating: false, count: manifest.blockCount)
        return (manifest, opened.isHeld)
    }

    /// The store decodes images, but has no image that a patch could be based on.
    package func status() -> StoreStatus {
        var status = StoreStatus(counter: 0)
        status.decodesImages = true
        return status
    }

    package func raiseCounter(to counter: UInt32) {}

    package func publish(decodedBy decoder: ImageDecoder) throws(StoreError) -> StoredImage {
        guard let (manifest, file) = opened.image else { preconditionFailure("no image") }
        do throws(StoreError) {
            guard try file.sha256() == manifest.sha256 else { throw .imageMismatch(manifest) }
            if manifest.encoding != nil { try Self.decode(manifest, file, by: decoder) }
        } catch {
            if error.code == .imageMismatch { discard() }
            throw error
        }
        let image = StoredImage(manifest, at: nil)
        published = image
        discard()
        return image
    }

    private static func decode(
        _ manifest: Manifest,
        _ file: DiskFile,
        by decoder: ImageDecoder
    ) throws(StoreError) {
        var hasher = SHA256()
        let isWhole = try decoder.decode(
            manifest,
            base: { () throws(StoreError) in throw .refused(ManifestRefusal(.wrongBase)) },
            read: { (range) throws(StoreError) in try file.read(range) },
            write: { (piece) throws(StoreError) in
                piece.withUnsafeBytes { hasher.update($0) }
            }
        )
        guard isWhole, hasher.digest == manifest.decodedSHA256 else {
            throw .undecodable(manifest)
        }
    }

    package func release() { isOpen = false }

    package func discard() {
        guard isOpen else { return }
        transfer = nil
        isOpen = false
    }

    private var opened: Transfer {
        get {
            precondition(isOpen, "no transfer is open")
            return transfer!
        }
        set { transfer = newValue }
    }
}
