import BLEOTACore
public import BLEOTAManifest
public import BLEOTAWire

/// Where a receiver keeps what arrives: one transfer at a time, in blocks, written in place.
///
/// The driver calls the methods one after the other, never two at once, in this order:
/// ``open(_:manifestByteCount:)``, then for the manifest ``write(_:object:blockIndex:)`` and
/// ``synchronize()``, ``acceptManifest(unless:preferring:)``, the same two for the image,
/// ``publish(decodedBy:)`` and ``release()``. One exception: ``write(_:object:blockIndex:)`` may be
/// called, again and again, while one ``synchronize()`` is under way, so that what arrives does not
/// wait in memory for a slow disk. The driver has checked each block of the image against its hash
/// before it is written; the store knows nothing of frames, credit or time. A call out of this
/// order is a mistake of the caller and traps.
///
/// After a crash or a power cut at any instant, ``open(_:manifestByteCount:)`` finds everything
/// that ``synchronize()`` had returned for, and the image made current before is either the old one
/// or the new one, whole. After a crash of the process alone it also finds every block that
/// ``write(_:object:blockIndex:)`` had returned for.
///
/// After any error but `busy` the transfer is still open, unless the error says that it was
/// discarded; ``release()`` and ``open(_:manifestByteCount:)`` tell what is held.
public protocol ImageStore: Sendable {
    /// Finds what is held of a transfer, or makes room for a new one, and locks it until
    /// ``release()``, except when the answer is ``ResumeState/current(_:)``.
    ///
    /// A store keeps a few unfinished transfers. Who opens one has proved nothing, and so takes no
    /// place of a transfer whose manifest was accepted.
    ///
    /// - Parameter manifestByteCount: as OPEN announced it, 66 to 33,554,432.
    /// - Throws: a ``StoreError`` with code `busy` when another transfer is open: the caller does
    ///   not hold the store then and must not call its other methods. With code
    ///   `manifestMismatch` when the manifest is held and has another length.
    func open(
        _ transfer: TransferTag,
        manifestByteCount: Int
    ) async throws(StoreError) -> ResumeState

    /// Writes one block in place. Not durable before the next ``synchronize()``.
    ///
    /// A block of the image that is durable already is left as it is.
    ///
    /// - Parameters:
    ///   - bytes: a whole block, or the rest of the object for the last.
    ///   - object: the manifest or the image.
    ///   - blockIndex: from 0, in any order; blocks of the manifest are 4,096 bytes, those of the
    ///     image as the manifest says.
    func write(
        _ bytes: [UInt8],
        object: ObjectID,
        blockIndex: Int
    ) async throws(StoreError)

    /// Makes durable what ``write(_:object:blockIndex:)`` had returned for when this was called.
    /// What is written meanwhile may be or not; the next call makes it.
    func synchronize() async throws(StoreError)

    /// Takes the complete manifest, checks its tag and rules, asks whether it is refused, and only
    /// then makes room for its image, and gives up another transfer where there are too many; says
    /// which of its blocks are held.
    ///
    /// - Parameters:
    ///   - refusal: the receiver's policy.
    ///   - isTrusted: whether a manifest is signed by a key that the receiver trusts. A transfer
    ///     that is gives way only to another such.
    /// - Throws: a ``StoreError`` with code `manifestMismatch` after dropping the manifest's bytes,
    ///   so that object 0 can begin anew; other codes are refusals.
    func acceptManifest(
        unless refusal: @Sendable (Manifest) -> ManifestRefusal?,
        preferring isTrusted: @Sendable (Manifest) -> Bool
    ) async throws(StoreError) -> (manifest: Manifest, held: [Bool])

    /// What a manifest is judged by.
    ///
    /// - Throws: where the counter can't be read, since 0 would let in what was replaced for a
    ///   reason.
    func status() async throws(StoreError) -> StoreStatus

    /// Raises the counter, durably, before an image with it is made current; never lowers it.
    func raiseCounter(to counter: UInt32) async throws(StoreError)

    /// Hashes the whole image as it is stored, decodes it if it travelled encoded, makes it current
    /// in one atomic step and releases the transfer.
    ///
    /// - Parameter decoder: for manifests with an encoding, which come only to stores whose
    ///   ``StoreStatus/decodesImages`` is true.
    /// - Throws: a ``StoreError`` with code `storeFailed` when blocks did not read back as they
    ///   were written: they are no longer held, and opening the transfer again asks for them. With
    ///   code `imageMismatch` when every block is right and the whole is not, or does not become
    ///   the image that the manifest describes: the transfer was discarded and released.
    func publish(decodedBy decoder: ImageDecoder) async throws(StoreError) -> StoredImage

    /// Gives the transfer up or lets it rest; what is durable stays. Does nothing when none is
    /// open.
    func release() async

    /// Waits until the place where images are kept is gone, such as a directory that was removed,
    /// and throws that; returns when the task is cancelled. A receiver ends then.
    func awaitLoss() async throws(StoreError)

    /// Forgets everything held of the open transfer, after a refusal or when the sender withdraws
    /// it, and releases it. Does nothing when none is open.
    func discard() async
}

extension ImageStore {
    /// Waits for ever: not every place can be lost.
    public func awaitLoss() async throws(StoreError) {
        // Ends when the task is cancelled.
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(86_400)) }
    }

    /// The same without a policy.
    package func acceptManifest() async throws(StoreError) -> (manifest: Manifest, held: [Bool]) {
        try await acceptManifest(unless: { _ in nil }, preferring: { _ in false })
    }

    /// The same with a decoder that has no keys.
    package func publish() async throws(StoreError) -> StoredImage {
        try await publish(decodedBy: ImageDecoder())
    }
}
