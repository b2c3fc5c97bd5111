import BLEOTACore
import BLEOTAManifest
import BLEOTAWire
import SystemPackage

/// An unfinished transfer in a ``MemoryStore``.
struct MemoryTransfer {
    private enum Mark { case missing, written, durable }

    let tag: TransferTag
    private(set) var manifestBytes: [UInt8]
    private(set) var manifest: Manifest?
    private(set) var image: [UInt8] = []
    private var manifestMarks: [Mark]
    private var imageMarks: [Mark] = []

    init(_ tag: TransferTag, manifestByteCount: Int) {
        self.tag = tag
        manifestBytes = Array(repeating: 0, count: manifestByteCount)
        let blockByteCount = ManifestLayout.storageBlockByteCount
        let blockCount = (manifestByteCount + blockByteCount - 1) / blockByteCount
        manifestMarks = Array(repeating: .missing, count: blockCount)
    }

    var held: ResumeState {
        guard let manifest else {
            let gap = manifestMarks.firstIndex(of: .missing)
            return .manifest(blockCount: gap ?? manifestMarks.count)
        }
        return .image(manifest, held: imageMarks.map { $0 != .missing })
    }

    mutating func write(_ bytes: [UInt8], object: ObjectID, blockIndex: Int) {
        switch (object, manifest) {
        case (.manifest, nil):
            let start = blockIndex * ManifestLayout.storageBlockByteCount
            let byteCount = min(ManifestLayout.storageBlockByteCount, manifestBytes.count - start)
            precondition(bytes.count == byteCount)
            manifestBytes.replaceSubrange(start..<start + byteCount, with: bytes)
            manifestMarks[blockIndex] = .written
        case (.image, let manifest?):
            let start = blockIndex * manifest.blockByteCount
            precondition(bytes.count == manifest.fields.byteCount(ofBlock: blockIndex))
            guard imageMarks[blockIndex] != .durable else { return }
            image.replaceSubrange(start..<start + bytes.count, with: bytes)
            imageMarks[blockIndex] = .written
        default:
            preconditionFailure("this object is not being received")
        }
    }

    /// The number of durable bytes of the image.
    var durableByteCount: Int {
        imageMarks.count { $0 == .durable } * (manifest?.blockByteCount ?? 0)
    }

    mutating func synchronize() {
        replaceWritten(with: .durable)
    }

    mutating func dropUnsynchronized() {
        replaceWritten(with: .missing)
    }

    private mutating func replaceWritten(with mark: Mark) {
        for index in manifestMarks.indices where manifestMarks[index] == .written {
            manifestMarks[index] = mark
        }
        for index in imageMarks.indices where imageMarks[index] == .written {
            imageMarks[index] = mark
        }
    }

    /// Accepts the complete manifest. If this manifest is not the announced one, discards it so
    /// that the manifest can be sent again.
    mutating func acceptManifest(
        imageByteCountLimit limit: Int,
        unless refusal: (Manifest) -> ManifestRefusal?
    ) throws(StoreError) {
        precondition(manifest == nil && !manifestMarks.contains(.missing))
        guard TransferTag(hashing: manifestBytes) == tag else {
            self = MemoryTransfer(tag, manifestByteCount: manifestBytes.count)
            throw .manifestMismatch(tag)
        }
        let manifest: Manifest
        do throws(ManifestError) {
            manifest = try Manifest(bytes: manifestBytes)
        } catch {
            throw .malformed(error)
        }
        if let refusal = refusal(manifest) { throw .refused(refusal) }
        let byteCount = manifest.largestByteCount
        guard byteCount <= limit else { throw .tooLarge(byteCount: byteCount, limit: limit) }
        self.manifest = manifest
        image = Array(repeating: 0, count: manifest.imageByteCount)
        imageMarks = Array(repeating: .missing, count: manifest.blockCount)
    }

    //= ENC-1: A receiver MUST check the SHA-256 of the whole encoded image in its store before it
    //= decodes any part of it.
    /// Returns the decoded image. Call this only after ``verify()`` has returned.
    func decoded(by decoder: ImageDecoder, from base: [UInt8]) throws(StoreError) -> [UInt8] {
        guard let manifest, manifest.encoding != nil else { return image }
        var decoded: [UInt8] = []
        let isWhole = try decoder.decode(
            manifest,
            base: { () throws(StoreError) in
                // Another image may have become current since the manifest was judged.
                let sha256 = SHA256.digest(of: base)
                guard sha256 == manifest.baseSHA256 else {
                    throw .refused(ManifestRefusal(.wrongBase))
                }
                return base
            },
            read: { (range) throws(StoreError) in Array(image[range]) },
            write: { (piece) throws(StoreError) in decoded += piece }
        )
        guard isWhole else { throw .undecodable(manifest) }
        return decoded
    }

    /// Hashes the image as received. If the hash does not match, marks as missing the blocks
    /// that do not match their own hashes, and throws.
    mutating func verify() throws(StoreError) {
        guard let manifest else { preconditionFailure("no image to publish") }
        let sha256 = SHA256.digest(of: image)
        if sha256 == manifest.sha256 { return }
        var wrongCount = 0
        for index in imageMarks.indices {
            let start = index * manifest.blockByteCount
            let range = start..<start + manifest.fields.byteCount(ofBlock: index)
            if !manifest.matches(image.span.bytes.extracting(range), blockIndex: index) {
                imageMarks[index] = .missing
                wrongCount += 1
            }
        }
        if wrongCount == 0 { throw .imageMismatch(manifest) }
        throw .damaged("the image in memory", blockCount: wrongCount)
    }
}
