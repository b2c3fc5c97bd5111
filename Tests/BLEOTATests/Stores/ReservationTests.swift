import BLEOTAManifest
import BLEOTAWire
import Glibc
import SystemPackage
import Testing

@testable import BLEOTA

/// How much of a disk is taken by what was only announced.
@Suite("Room on a disk")
struct ReservationTests {
    private let directory = TemporaryDirectory()
    private var root: FilePath { directory.path / "store" }

    @Test("is taken as an image comes, not when it is announced", arguments: [false, true])
    func image(isEncoded: Bool) async throws {
        let test = try StoreUnderTest(
            .directory,
            in: directory.path,
            imageByteCountLimit: 1 << 28
        )
        // All its blocks are the same, so that there is but one to hash.
        let block = [UInt8](repeating: 3, count: 65_536)
        let blockCount = 512
        let manifest = Manifest.make(
            imageByteCount: isEncoded ? 65_536 : blockCount * block.count,
            blockByteCount: block.count,
            name: nil,
            version: nil,
            loadAddress: nil,
            restrictions: ImageRestrictions(),
            encoding: isEncoded
                ? EncodingStatement(
                    compression: .zlib,
                    byteCount: blockCount * block.count,
                    sha256: Array(repeating: 1, count: 32),
                    base: nil
                ) : nil
        ) { _, byteCount in Array(block[..<byteCount]) }
        _ = try await test.store.open(manifest.tag, manifestByteCount: manifest.bytes.count)
        try await send(manifest, to: test.store)
        _ = try await test.store.acceptManifest()
        #expect(takenByteCount < 3 << 20)
        guard !isEncoded else { return }
        for index in 0..<64 {
            try await test.store.write(block, object: .image, blockIndex: index)
        }
        #expect((4 << 20...7 << 20).contains(takenByteCount))
    }

    @Test("is hardly taken by a manifest that is announced, and refused to one that is too long")
    func manifest() async throws {
        do {
            let test = try StoreUnderTest(
                .directory,
                in: directory.path,
                imageByteCountLimit: Int(UInt32.max)
            )
            for value in 0..<9 as Range<UInt64> {
                _ = try await test.store.open(
                    TransferTag(rawValue: value),
                    manifestByteCount: ManifestLayout.byteCountMax
                )
                await test.store.release()
            }
            #expect(takenByteCount < 3 << 20)
            await test.close()
        }
        // An image of 1 MiB has at most 4,096 blocks.
        let limit = 1 << 20
        let test = try StoreUnderTest(.directory, in: directory.path, imageByteCountLimit: limit)
        let manifestLimit = 4_096 * 16 + 8_242
        _ = try await test.store.open(
            TransferTag(rawValue: 99),
            manifestByteCount: manifestLimit
        )
        await test.store.release()
        await expect(.tooLarge(limit: UInt64(manifestLimit))) {
            _ = try await test.store.open(
                TransferTag(rawValue: 100),
                manifestByteCount: manifestLimit + 1
            )
        }
    }

    private func send(_ manifest: Manifest, to store: any ImageStore) async throws {
        let starts = stride(from: 0, to: manifest.bytes.count, by: 4_096)
        for (index, start) in starts.enumerated() {
            let end = min(start + 4_096, manifest.bytes.count)
            try await store.write(
                Array(manifest.bytes[start..<end]),
                object: .manifest,
                blockIndex: index
            )
        }
        try await store.synchronize()
    }

    /// What the files of the store take of the disk.
    private var takenByteCount: Int {
        FileTree.names(at: root).reduce(0) { sum, name in
            var status = stat()
            lstat("\(root.string)/\(name)", &status)
            return sum + Int(status.st_blocks) * 512
        }
    }
}
