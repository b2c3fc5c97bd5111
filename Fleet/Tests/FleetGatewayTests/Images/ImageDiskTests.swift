import FleetModel
import FleetStore
import FleetTestSupport
import Glibc
import Testing

import struct Crypto.SHA256
import struct SystemPackage.Errno
import struct SystemPackage.FilePath

@testable import FleetGateway

@Suite("The image cache on bad days")
struct ImageDiskTests {
    @Test(
        "A full disk is said so, leaves nothing, and works again when there is space",
        .enabled(if: SmallDisk.isAllowed, "\(SmallDisk.isMissing)")
    )
    func full() async throws {
        let disk = try SmallDisk()
        let images = MemoryImages()
        let large = try await images.add(600_000, seed: 1).digest
        let small = try await images.add(50_000, seed: 2).digest
        let cache = try ImageCache(
            folder: FilePath(disk.path),
            byteCountMax: 1 << 20,
            source: images
        )
        let part = FilePath(disk.path).appending(large.hexadecimal + ".part")
        let error = ImageCacheError.disk(part, .noSpace)
        await #expect(throws: error) { _ = try await cache.image(large) }
        #expect(error.description == "there is no space left on the disk of \(part)")
        #expect(TestFolder.read(part.string) == nil)
        _ = try await cache.image(small)
    }

    @Test(
        "A disk that can only be read is said so",
        .enabled(if: SmallDisk.isAllowed, "\(SmallDisk.isMissing)")
    )
    func readOnly() async throws {
        let disk = try SmallDisk()
        let images = MemoryImages()
        let image = try await images.add(1_000, seed: 1).digest
        let folder = FilePath(disk.path)
        try disk.makeReadOnly()
        let error = ImageCacheError.disk(folder.appending("lock"), .readOnlyFileSystem)
        #expect(throws: error) {
            _ = try ImageCache(folder: folder, byteCountMax: 1 << 20, source: images)
        }
        #expect(images.fetchCount(of: image) == 0)
    }

    @Test(
        "A gateway that is killed while it fetches leaves no image",
        .enabled(if: TestServer.isThere, "\(TestServer.isMissing)")
    )
    func killed() async throws {
        let site = try await Site()
        // 256 chunks: time enough to be killed meanwhile.
        let bytes = [UInt8](repeating: 7, count: 32 << 20)
        let image = Digest(Array(SHA256.hash(data: bytes)))!
        try await site.store.images.store(bytes, as: image)
        let name = "cache-east/\(image.hexadecimal)"
        let east = try site.gatewayProcess(Sample.east)
        try await site.order(Sample.order(1, of: image))
        try await eventually("a part is there") {
            var status = stat()
            return stat(site.folder.path(name + ".part"), &status) == 0 && status.st_size > 0
        }
        east.kill()
        #expect(TestFolder.read(site.folder.path(name + ".part")) != nil)
        #expect(TestFolder.read(site.folder.path(name)) == nil)

        let folder = try CacheFolder(FilePath(site.folder.path("cache-east")))
        #expect(try folder.open().isEmpty)
        #expect(TestFolder.read(site.folder.path(name + ".part")) == nil)
    }
}
