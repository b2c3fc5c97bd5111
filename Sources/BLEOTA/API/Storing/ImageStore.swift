import BLEOTACore
public import BLEOTAManifest
public import BLEOTAWire

/// A store in which a receiver keeps incoming images. One transfer is open at a time, and its
/// blocks are written in place.
///
/// The driver calls the methods one at a time, in this order: ``open(_:manifestByteCount:)``;
/// for the manifest, ``write(_:object:blockIndex:)`` and ``synchronize()``; then
/// ``acceptManifest(unless:preferring:)``; for the image, again ``write(_:object:blockIndex:)``
/// and ``synchronize()``; ``publish(decodedBy:)``; and ``release()``. There is one exception:
/// ``write(_:object:blockIndex:)`` may be called repeatedly while a ``synchronize()`` is in
/// progress, so that incoming data does not wait in memory for a slow disk. Before the driver
/// writes a block of the image, it checks the block against its hash. The store does not deal
/// with frames, credit or time. A call out of this order is a programming error and traps.
///
/// After a crash or a power cut at any instant, ``open(_:manifestByteCount:)`` finds everything
/// that a completed ``synchronize()`` made durable, and the current image is either the complete
/// old one or the complete new one. After a crash of the process alone,
/// ``open(_:manifestByteCount:)`` also finds every block for which
/// ``write(_:object:blockIndex:)`` had returned.
///
/// After any error except `busy`, the transfer is still open, unless the error is documented to
/// discard it. Call ``release()`` and ``open(_:manifestByteCount:)`` to find out which data is
/// still held.
public protocol ImageStore: Sendable {
    /// Finds the stored part of a transfer, or makes room for a new transfer, and locks the
    /// transfer until ``release()``. The transfer is not locked if the result is
    /// ``ResumeState/current(_:)``.
    ///
    /// A store keeps a few unfinished transfers. A peer that opens a new transfer has not
    /// proved anything yet, so a new transfer never displaces one whose manifest was accepted.
    ///
    /// - Parameters:
    ///   - transfer: the tag of the transfer.
    ///   - manifestByteCount: the length that OPEN announced, 66 to 33,554,432 bytes.
    /// - Returns: the stored part of the transfer.
    /// - Throws: a ``StoreError`` with the code `busy` if another transfer is open; in that case,
    ///   the caller does not hold the store and must not call its other methods. The code is
    ///   `manifestMismatch` if the store holds the manifest of this transfer and that manifest has
    ///   another length.
    func open(
        _ transfer: TransferTag,
        manifestByteCount: Int
    ) async throws(StoreError) -> ResumeState

    /// Writes one block in place. The block is not durable before the next ``synchronize()``.
    ///
    /// If a block of the image is already durable, the call does not write it again.
    ///
    /// - Parameters:
    ///   - bytes: a whole block; for the last block, the rest of the object.
    ///   - object: the manifest or the image.
    ///   - blockIndex: the number of the block, from 0, in any order. A block of the manifest
    ///     is 4,096 bytes long; the manifest states the block size of the image.
    func write(
        _ bytes: [UInt8],
        object: ObjectID,
        blockIndex: Int
    ) async throws(StoreError)

    /// Makes durable every block for which ``write(_:object:blockIndex:)`` had returned before
    /// this call. A block written during the call may become durable only with the next one.
    func synchronize() async throws(StoreError)

    /// Checks the complete manifest against its tag and against the rules for manifests, then
    /// asks the policy about it. Only then does it make room for the image and remove another
    /// transfer if there are too many.
    ///
    /// - Parameters:
    ///   - refusal: returns the reason the receiver's policy refuses a manifest; `nil` if it
    ///     accepts the manifest.
    ///   - isTrusted: whether a key that the receiver trusts has signed a manifest. Only
    ///     another trusted transfer may displace a trusted one.
    /// - Returns: the manifest and, for each block of the image, whether the store holds it.
    /// - Throws: a ``StoreError``. If its code is `manifestMismatch`, the stored bytes of the
    ///   manifest were deleted so that the manifest can be sent again. Other codes are refusals.
    func acceptManifest(
        unless refusal: @Sendable (Manifest) -> ManifestRefusal?,
        preferring isTrusted: @Sendable (Manifest) -> Bool
    ) async throws(StoreError) -> (manifest: Manifest, held: [Bool])

    /// The state of the store, for judging manifests.
    ///
    /// - Throws: a ``StoreError`` if the counter can't be read. Returning 0 instead would admit
    ///   images that were replaced for security reasons.
    func status() async throws(StoreError) -> StoreStatus

    /// Durably raises the security counter before an image with that counter becomes current.
    /// Never lowers it.
    func raiseCounter(to counter: UInt32) async throws(StoreError)

    /// Hashes the whole stored image, decodes it if it is encoded, makes it current in one
    /// atomic step, and releases the transfer.
    ///
    /// - Parameter decoder: decodes images whose manifest has an encoding. Only stores whose
    ///   ``StoreStatus/decodesImages`` is true receive such images.
    /// - Returns: the image that is now current.
    /// - Throws: a ``StoreError`` with the code `storeFailed` if blocks did not read back as
    ///   they were written; those blocks are no longer held, and are requested once the
    ///   transfer is opened again. The code is `imageMismatch` if every block is valid but the
    ///   whole image is not, or if decoding does not produce the image that the manifest
    ///   describes; in that case, the transfer has been discarded and released.
    func publish(decodedBy decoder: ImageDecoder) async throws(StoreError) -> StoredImage

    /// Closes the transfer and keeps its durable data. Does nothing if no transfer is open.
    func release() async

    /// Waits until the storage location is lost, for example because its directory was removed,
    /// then throws an error, which stops the receiver. Returns when the task is cancelled.
    func awaitLoss() async throws(StoreError)

    /// Deletes all stored data of the open transfer, after a refusal or a withdrawal by the
    /// sender, and releases the transfer. Does nothing if no transfer is open.
    func discard() async
}

extension ImageStore {
    /// Waits until the task is cancelled, for stores whose storage location can't be lost.
    public func awaitLoss() async throws(StoreError) {
        // The loop ends when the task is cancelled.
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(86_400)) }
    }

    /// Accepts the manifest without a policy.
    package func acceptManifest() async throws(StoreError) -> (manifest: Manifest, held: [Bool]) {
        try await acceptManifest(unless: { _ in nil }, preferring: { _ in false })
    }

    /// Publishes the image with a decoder that has no keys.
    package func publish() async throws(StoreError) -> StoredImage {
        try await publish(decodedBy: ImageDecoder())
    }
}
