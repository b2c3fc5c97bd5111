import FleetModel
import FleetTestSupport
import Glibc
import Testing

import struct SystemPackage.FilePath

@testable import FleetGateway

@Suite("The image cache")
struct ImageCacheTests {
    let folder: TestFolder
    let images = MemoryImages()

    init() throws { folder = try TestFolder() }

    private func cache(_ byteCountMax: UInt64 = 1 << 20) throws -> ImageCache {
        try ImageCache(
            folder: FilePath(folder.path("cache")),
            byteCountMax: byteCountMax,
            source: images
        )
    }

    /// Opens the folder when the cache before has let it go.
    private func openAgain(_ byteCountMax: UInt64 = 1 << 20) async throws {
        try await eventually("the cache before lets the folder go") {
            do { _ = try cache(byteCountMax) } catch ImageCacheError.inUse { return false }
            return true
        }
    }

    private func file(_ image: Digest, _ ending: String = "") -> [UInt8]? {
        TestFolder.read(folder.path("cache/\(image.hexadecimal)\(ending)"))
    }

    @Test("Removes the image that has been used longest ago, and none that is in use")
    func limit() async throws {
        let (a, bytes) = try await images.add(50_000, seed: 1)
        let b = try await images.add(50_000, seed: 2).digest
        let c = try await images.add(50_000, seed: 3).digest
        let cache = try cache(UInt64(bytes.count) * 5 / 2)
        _ = try await cache.image(a)
        _ = try await cache.image(b)
        _ = try await cache.image(a)
        let kept = try await cache.image(c)
        #expect(file(a) == bytes && file(b) == nil && file(c) != nil)
        #expect(images.fetchCount(of: a) == 1)

        // Of the two, one is in use, so the other goes, though it was used later.
        _ = try await cache.image(a)
        _ = try await cache.image(b)
        #expect(file(a) == nil && file(b) != nil && file(c) != nil)
        let other = try await cache.image(b)
        await #expect(throws: ImageCacheError.self) { _ = try await cache.image(a) }
        #expect(file(a) == nil && file(b) != nil && file(c) != nil)
        withExtendedLifetime((kept, other)) {}
    }

    @Test("Says that an image is larger than the whole cache, and keeps what it has")
    func tooLarge() async throws {
        let (small, bytes) = try await images.add(1_000, seed: 1)
        let large = try await images.add(50_000, seed: 2)
        let cache = try cache(20_000)
        _ = try await cache.image(small)
        let error = ImageCacheError.noRoom(
            byteCount: UInt64(large.bytes.count),
            byteCountMax: 20_000
        )
        await #expect(throws: error) { _ = try await cache.image(large.digest) }
        #expect(file(small) == bytes)
    }

    @Test("Fetches an image once for all pushes that wait for it")
    func together() async throws {
        let (image, _) = try await images.add(300_000, seed: 1)
        let cache = try cache()
        images.holdUp(true)
        let pushes = (0..<8).map { _ in Task { try await cache.image(image) } }
        try await eventually("the fetch begins") { images.fetchCount(of: image) > 0 }
        // One push is stopped, and the others get the image nevertheless.
        pushes[0].cancel()
        await #expect(throws: ImageCacheError.stopped) { _ = try await pushes[0].value }
        images.holdUp(false)
        let first = try await pushes[1].value
        for push in pushes[2...] { #expect(try await push.value === first) }
        #expect(images.fetchCount(of: image) == 1)
    }

    @Test("Removes what killed fetches have left, and nothing else")
    func leftovers() async throws {
        let (image, bytes) = try await images.add(50_000, seed: 1)
        do { _ = try await cache().image(image) }
        let part = image.hexadecimal + ".part"
        for name in [part, "notes.part", "notes"] {
            _ = try folder.write("something", to: "cache/" + name)
        }
        try await openAgain()
        #expect(file(image) == bytes && file(image, ".part") == nil)
        for name in ["notes.part", "notes"] {
            #expect(TestFolder.read(folder.path("cache/" + name)) != nil)
        }
    }

    @Test("Removes at its start what is over a limit that was lowered")
    func lowered() async throws {
        let (old, bytes) = try await images.add(50_000, seed: 1)
        let new = try await images.add(50_000, seed: 2).digest
        do {
            let first = try cache()
            for image in [new, old] { _ = try await first.image(image) }
        }
        // As if it had been used long ago.
        let times = [timeval](repeating: timeval(tv_sec: 1_000, tv_usec: 0), count: 2)
        #expect(utimes(folder.path("cache/\(old.hexadecimal)"), times) == 0)
        try await openAgain(UInt64(bytes.count) * 3 / 2)
        #expect(file(old) == nil && file(new) != nil)
    }

    @Test("Fetches an image again whose file was damaged on the disk")
    func damaged() async throws {
        let (image, bytes) = try await images.add(50_000, seed: 1)
        let first = try cache()
        _ = try await first.image(image)
        _ = try folder.write("half of an image", to: "cache/" + image.hexadecimal)
        _ = try await first.image(image)
        #expect(file(image) == bytes)
        #expect(images.fetchCount(of: image) == 2)
    }

    @Test("Says that another process uses the folder")
    func inUse() throws {
        let first = try cache()
        #expect(throws: ImageCacheError.inUse(FilePath(folder.path("cache")))) { _ = try cache() }
        withExtendedLifetime(first) {}
    }
}
