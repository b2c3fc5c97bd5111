package import BLEOTACore
package import BLEOTAManifest
import BLEOTAWire

/// Keeps the current image and what arrives in memory: for tests, and for devices that hand the
/// image on.
///
/// ```swift
/// let store = MemoryStore(imageByteCountLimit: 1 << 20)
/// …
/// let firmware = await store.currentBytes
/// ```
///
/// Memory is the current image and as many unfinished transfers as a ``DirectoryStore`` keeps, each
/// with its image's length.
package actor MemoryStore: ImageStore {
    /// The image that was published last.
    package private(set) var current: StoredImage?
    /// The bytes of ``current``; empty if there is none.
    package private(set) var currentBytes: [UInt8] = []

    private let imageByteCountLimit: Int
    private var highestCounter: UInt32 = 0
    /// The unfinished transfers, the one opened last at the end.
    private var transfers: [MemoryTransfer] = []
    private var isOpen = false

    /// A store that holds nothing.
    ///
    /// - Parameter imageByteCountLimit: larger images are refused.
    package init(imageByteCountLimit: Int = Int(UInt32.max)) {
        self.imageByteCountLimit = imageByteCountLimit
    }

    /// Finds the transfer among the unfinished ones, or begins it.
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
        // Who begins one has proved nothing, and takes no place of what was accepted.
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

    /// Marks what was written, so that ``losePower()`` keeps it.
    package func synchronize() throws(StoreError) {
        opened.synchronize()
    }

    /// Checks the manifest and takes memory for the whole image. Other transfers go where there are
    /// too many, those first of which least is here.
    package func acceptManifest(
        unless refusal: @Sendable (Manifest) -> ManifestRefusal?,
        preferring isTrusted: @Sendable (Manifest) -> Bool
    ) throws(StoreError) -> (manifest: Manifest, held: [Bool]) {
        try opened.acceptManifest(imageByteCountLimit: imageByteCountLimit, unless: refusal)
        makePlace(preferring: isTrusted)
        guard case .image(let manifest, let held) = opened.held else {
            preconditionFailure("an accepted manifest is held")
        }
        return (manifest, held)
    }

    /// Nothing goes by its age here: a process does not live as long.
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

    /// The highest counter it was raised to, and the SHA-256 of what is current.
    package func status() -> StoreStatus {
        var status = StoreStatus(counter: highestCounter)
        status.decodesImages = true
        status.currentSHA256 = current?.sha256
        return status
    }

    /// Keeps the higher of the two.
    package func raiseCounter(to counter: UInt32) { highestCounter = max(highestCounter, counter) }

    /// Hashes the image, decodes it and makes it ``current``.
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

    /// Closes the transfer; it stays in memory.
    package func release() {
        isOpen = false
    }

    /// Forgets the transfer.
    package func discard() {
        guard isOpen else { return }
        transfers.removeLast()
        isOpen = false
    }

    /// Releases the transfer and drops what was not synchronised, as a power cut would.
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
