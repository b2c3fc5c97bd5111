package import BLEOTACore
package import BLEOTAManifest
import BLEOTAWire

/// Keeps the current image and unfinished transfers in memory. It is meant for tests, and for
/// devices that pass the image on.
///
/// ```swift
/// let store = MemoryStore(imageByteCountLimit: 1 << 20)
/// …
/// let firmware = await store.currentBytes
/// ```
///
/// Memory: the current image, and as many unfinished transfers as a ``DirectoryStore`` keeps, each
/// as long as its image.
package actor MemoryStore: ImageStore {
    /// The image that was published last; `nil` if there is none.
    package private(set) var current: StoredImage?
    /// The bytes of ``current``; empty if there is none.
    package private(set) var currentBytes: [UInt8] = []

    private let imageByteCountLimit: Int
    private var highestCounter: UInt32 = 0
    /// The unfinished transfers; the one opened last is at the end.
    private var transfers: [MemoryTransfer] = []
    private var isOpen = false

    /// Creates an empty store.
    ///
    /// - Parameter imageByteCountLimit: the length of the longest image to accept. Default: no
    ///   limit.
    package init(imageByteCountLimit: Int = Int(UInt32.max)) {
        self.imageByteCountLimit = imageByteCountLimit
    }

    /// Opens an unfinished transfer with this tag, or starts one.
    package func open(
        _ tag: TransferTag,
        manifestByteCount: Int
    ) throws(StoreError) -> ResumeState {
        if isOpen { throw .heldByAnotherTransfer(opened.tag) }
        precondition(
            (ManifestLayout.byteCountMin...ManifestLayout.byteCountMax).contains(manifestByteCount)
        )
        if let current, current.manifest.tag == tag {
            guard current.manifest.bytes.count == manifestByteCount else {
                throw .manifestMismatch(tag)
            }
            return .current(current)
        }
        let index = transfers.firstIndex { $0.tag == tag }
        var transfer = index.map { transfers.remove(at: $0) }
        if let manifest = transfer?.manifest, manifest.bytes.count != manifestByteCount {
            transfers.append(transfer!)
            throw .manifestMismatch(tag)
        }
        if transfer?.manifestBytes.count != manifestByteCount { transfer = nil }
        // A new transfer has no accepted manifest yet, so it never replaces a transfer that has
        // one.
        let unjudged = transfers.filter { $0.manifest == nil }.map(\.tag)
        if transfer == nil {
            let givenUp = unjudged.dropLast(RetentionRule.unjudgedCountMax - 1)
            transfers.removeAll { givenUp.contains($0.tag) }
        }
        transfers.append(transfer ?? MemoryTransfer(tag, manifestByteCount: manifestByteCount))
        isOpen = true
        return opened.held
    }

    /// Copies one block into place.
    package func write(
        _ bytes: [UInt8],
        object: ObjectID,
        blockIndex: Int
    ) throws(StoreError) {
        opened.write(bytes, object: object, blockIndex: blockIndex)
    }

    /// Marks all written blocks as durable, so ``losePower()`` keeps them.
    package func synchronize() throws(StoreError) {
        opened.synchronize()
    }

    /// Checks the manifest and allocates memory for the whole image. If there are too many other
    /// transfers, those with the fewest durable bytes are discarded first.
    package func acceptManifest(
        unless refusal: @Sendable (Manifest) -> ManifestRefusal?,
        preferring isTrusted: @Sendable (Manifest) -> Bool
    ) throws(StoreError) -> (manifest: Manifest, held: [Bool]) {
        try opened.acceptManifest(imageByteCountLimit: imageByteCountLimit, unless: refusal)
        makePlace(preferring: isTrusted)
        guard case .image(let manifest, let held) = opened.held else {
            preconditionFailure("an accepted manifest is kept")
        }
        return (manifest, held)
    }

    /// Discards transfers in excess of the limit. Their age is ignored, because the store records
    /// only the order in which they were opened.
    private func makePlace(preferring isTrusted: (Manifest) -> Bool) {
        let candidates = transfers.enumerated().dropLast().compactMap { index, transfer in
            transfer.manifest.map { manifest in
                RetentionRule.Candidate(
                    id: transfer.tag,
                    isTrusted: isTrusted(manifest),
                    durableByteCount: transfer.durableByteCount,
                    usedAt: index
                )
            }
        }
        let givenUp = RetentionRule.givenUp(
            candidates,
            forTrusted: opened.manifest.map(isTrusted) ?? false,
            now: 0
        )
        transfers.removeAll { givenUp.contains($0.tag) }
    }

    /// The highest counter so far, and the SHA-256 of the current image.
    package func status() -> StoreStatus {
        var status = StoreStatus(counter: highestCounter)
        status.decodesImages = true
        status.currentSHA256 = current?.sha256
        return status
    }

    /// Raises the counter to `counter`, unless it is already higher.
    package func raiseCounter(to counter: UInt32) { highestCounter = max(highestCounter, counter) }

    /// Verifies the image, decodes it and makes it ``current``.
    package func publish(decodedBy decoder: ImageDecoder) throws(StoreError) -> StoredImage {
        do throws(StoreError) {
            try opened.verify()
            let bytes = try opened.decoded(by: decoder, from: currentBytes)
            let transfer = transfers.removeLast()
            isOpen = false
            let manifest = transfer.manifest!
            let image = StoredImage(manifest, at: nil)
            current = image
            currentBytes = bytes
            return image
        } catch {
            if error.code == .imageMismatch { discard() }
            throw error
        }
    }

    /// Closes the transfer, which stays in memory.
    package func release() {
        isOpen = false
    }

    /// Closes the transfer and removes it.
    package func discard() {
        guard isOpen else { return }
        transfers.removeLast()
        isOpen = false
    }

    /// Releases the transfer and drops all blocks that are not durable, as a power cut would.
    package func losePower() {
        isOpen = false
        for index in transfers.indices { transfers[index].dropUnsynchronized() }
    }

    private var opened: MemoryTransfer {
        get {
            precondition(isOpen, "no transfer is open")
            return transfers[transfers.count - 1]
        }
        _modify {
            precondition(isOpen, "no transfer is open")
            yield &transfers[transfers.count - 1]
        }
    }
}
