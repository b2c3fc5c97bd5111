package import FleetModel
import NATS

/// The image bundles of a fleet, each under its digest, in chunks.
///
/// Whoever reads one computes its digest: the store doesn't.
package struct ImageShelf: Sendable {
    let bucket: Bucket

    /// What is stored of an image, once it is whole.
    package func info(_ image: Digest) async throws(FleetStoreError) -> StoredImage {
        let key = Self.key(image, "info")
        let entry: BucketEntry
        do { entry = try await read(key) } catch { throw .nats(error) }
        do { return try StoredImage(from: entry.value ?? []) } catch {
            throw .unreadable(key, error)
        }
    }

    /// A chunk, from 0.
    package func chunk(_ number: Int, of image: Digest) async throws(FleetStoreError) -> [UInt8] {
        do {
            return try await read(Self.key(image, "\(number)")).value ?? []
        } catch {
            throw error == .notFound ? .brokenImage(image) : .nats(error)
        }
    }

    /// A server that isn't the leader may have a part a moment later than the operator was told
    /// that it is stored.
    private func read(_ key: Key) async throws(NATSError) -> BucketEntry {
        for _ in 0..<3 {
            do { return try await bucket.get(key) } catch {
                guard error == .notFound, bucket.reading == .anyServer else { throw error }
            }
            // A task that has been cancelled asks again at once.
            try? await Task.sleep(for: .milliseconds(200))
        }
        return try await bucket.get(key)
    }

    /// Stores an image: its chunks first, so that one that has ``info(_:)`` is whole. An image that
    /// is there already stays as it is.
    package func store(
        _ bytes: [UInt8],
        as image: Digest
    ) async throws(FleetStoreError) {
        guard let info = StoredImage(byteCount: UInt64(bytes.count)) else {
            throw .nats(.wrongArgument("\(bytes.count) bytes are no image"))
        }
        for number in 0..<info.chunkCount {
            let start = number * StoredImage.chunkByteCount
            let end = min(start + StoredImage.chunkByteCount, bytes.count)
            try await create(Self.key(image, "\(number)"), Array(bytes[start..<end]))
        }
        try await create(Self.key(image, "info"), info.bytes)
    }

    /// Deletes an image: first what says that it is whole. What isn't there is left so.
    package func delete(_ image: Digest) async throws(FleetStoreError) {
        let info: StoredImage
        do throws(FleetStoreError) { info = try await self.info(image) } catch {
            guard error == .nats(.notFound) else { throw error }
            return
        }
        try await delete(Self.key(image, "info"))
        for number in 0..<info.chunkCount { try await delete(Self.key(image, "\(number)")) }
    }

    private func delete(_ key: Key) async throws(FleetStoreError) {
        do throws(NATSError) {
            let entry = try await bucket.get(key)
            try await bucket.delete(key, after: entry.revision)
        } catch {
            guard error != .notFound else { return }
            throw .nats(error)
        }
    }

    private func create(_ key: Key, _ value: [UInt8]) async throws(FleetStoreError) {
        do { _ = try await bucket.create(key, value) } catch {
            guard error != .revisionConflict else { return }
            throw .nats(error)
        }
    }

    /// 64 digits, a dot, and up to 5 more.
    private static func key(_ image: Digest, _ part: String) -> Key {
        Key("\(image.hexadecimal).\(part)")!
    }
}
