package import BLEOTA
package import FleetModel
import FleetStore
import NATS

package import struct SystemPackage.FilePath

/// The images of a gateway, which it fetches once, and keeps on its disk up to a limit.
///
/// It runs on a queue of its own, because disks block.
package actor ImageCache {
    /// The pause after which a fetch goes on whose engine was away.
    private static let pause = Duration.seconds(1)

    private struct Entry {
        let byteCount: UInt64
        /// Grows with each use of any image.
        var usedAt: UInt64
        weak var inUse: CachedImage?
        /// While it is being fetched or checked, it isn't removed.
        var isBusy = false
    }

    private typealias Answer = Result<CachedImage, ImageCacheError>

    /// A number that no other cache has, the same whenever it is opened.
    package nonisolated let instance: UInt64
    private let folder: CacheFolder
    private let byteCountMax: UInt64
    private let source: any ImageSource
    private let executor = QueueExecutor(label: "bleota.fleet.image-cache")
    /// The images on the disk, and those for which there is room reserved.
    private var entries: [Digest: Entry] = [:]
    private var waiters: [Digest: [UInt64: CheckedContinuation<Answer, Never>]] = [:]
    private var lastNumber: UInt64 = 0

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Opens the cache in a folder, which is made if its parent is there, and locks it.
    ///
    /// - Parameter byteCountMax: the bytes that all images take on the disk.
    package init(
        folder: FilePath,
        byteCountMax: UInt64,
        source: some ImageSource
    ) throws(ImageCacheError) {
        self.folder = try CacheFolder(folder)
        instance = try self.folder.instance()
        self.byteCountMax = byteCountMax
        self.source = source
        var files = try self.folder.open()[...]
        // The limit may have been higher before.
        var taken = files.reduce(0) { $0 + $1.byteCount }
        while taken > byteCountMax, let oldest = files.popFirst() {
            try self.folder.remove(oldest.image)
            taken -= oldest.byteCount
        }
        for file in files {
            lastNumber += 1
            entries[file.image] = Entry(byteCount: file.byteCount, usedAt: lastNumber)
        }
    }

    /// An image, from the disk or else from the store. While anybody keeps it, it stays on the
    /// disk. Everyone who waits for one image waits for the same fetch, which goes on if they
    /// leave. While the engine is away, this waits for it.
    package func image(_ digest: Digest) async throws(ImageCacheError) -> CachedImage {
        if let image = entries[digest]?.inUse {
            use(digest)
            return image
        }
        lastNumber += 1
        let number = lastNumber
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Answer, Never>) in
                let isFirst = waiters[digest] == nil
                waiters[digest, default: [:]][number] = continuation
                if isFirst { Task { await self.provide(digest) } }
            }
        } onCancel: {
            // It runs after the function above has left the actor, and so after it is registered.
            Task { await self.leave(digest, number) }
        }
        return try answer.get()
    }

    private func leave(_ digest: Digest, _ number: UInt64) {
        waiters[digest]?.removeValue(forKey: number)?.resume(returning: .failure(.stopped))
    }

    private func provide(_ digest: Digest) async {
        let answer: Answer
        do throws(ImageCacheError) {
            let image = try await load(digest)
            entries[digest]?.inUse = image
            use(digest)
            answer = .success(image)
        } catch {
            answer = .failure(error)
        }
        entries[digest]?.isBusy = false
        for waiter in (waiters.removeValue(forKey: digest) ?? [:]).values {
            waiter.resume(returning: answer)
        }
    }

    private func load(_ digest: Digest) async throws(ImageCacheError) -> CachedImage {
        if entries[digest] == nil {
            try await fetch(digest)
        } else {
            entries[digest]?.isBusy = true
            // A disk may forget, and nobody else checks a file of raw bytes.
            if try !folder.isIntact(digest) {
                try discard(digest)
                try await fetch(digest)
            }
        }
        // Before the library opens it: it takes any later change of the file for another content.
        folder.touch(digest)
        do {
            return CachedImage(try await Firmware(contentsOf: folder.path(of: digest)))
        } catch {
            throw .unusable(error.description)
        }
    }

    private func use(_ digest: Digest) {
        lastNumber += 1
        entries[digest]?.usedAt = lastNumber
    }

    // MARK: - Fetching

    private func fetch(_ digest: Digest) async throws(ImageCacheError) {
        let info = try await asking { source throws(FleetStoreError) in
            try await source.info(digest)
        }
        try makeRoom(for: info.byteCount)
        entries[digest] = Entry(byteCount: info.byteCount, usedAt: lastNumber, isBusy: true)
        do throws(ImageCacheError) {
            var part = try folder.beginPart(digest)
            for number in 0..<info.chunkCount {
                let bytes = try await asking { source throws(FleetStoreError) in
                    try await source.chunk(number, of: digest)
                }
                guard bytes.count == info.byteCount(ofChunk: number) else {
                    throw .wrongBytes(digest)
                }
                try part.append(bytes)
            }
            try part.keep(in: folder)
        } catch {
            entries[digest] = nil
            throw error
        }
    }

    /// Asks the store, again and again while there is no way to it.
    private func asking<Value: Sendable>(
        _ body: (any ImageSource) async throws(FleetStoreError) -> Value
    ) async throws(ImageCacheError) -> Value {
        while true {
            do throws(FleetStoreError) {
                return try await body(source)
            } catch {
                guard case .nats(let cause) = error, cause.fault == .network else {
                    throw .store(error)
                }
            }
            try? await Task.sleep(for: Self.pause)
        }
    }

    // MARK: - Room

    private func makeRoom(for byteCount: UInt64) throws(ImageCacheError) {
        while true {
            let taken = entries.values.reduce(0) { $0 + $1.byteCount }
            if taken <= byteCountMax, byteCount <= byteCountMax - taken { return }
            let idle = entries.filter { !$0.value.isBusy && $0.value.inUse == nil }
            guard byteCount <= byteCountMax,
                let oldest = idle.min(by: { $0.value.usedAt < $1.value.usedAt })?.key
            else { throw .noRoom(byteCount: byteCount, byteCountMax: byteCountMax) }
            try discard(oldest)
        }
    }

    private func discard(_ digest: Digest) throws(ImageCacheError) {
        try folder.remove(digest)
        entries[digest] = nil
    }
}

/// An image on a gateway's disk, which stays there as long as this is kept.
package final class CachedImage: Sendable {
    package let firmware: Firmware

    init(_ firmware: Firmware) { self.firmware = firmware }
}
