import BLEOTAManifest
import BLEOTAWire
import Glibc
import SystemPackage
import Testing

@testable import BLEOTA

@Suite("A scratch store")
struct ScratchStoreTests {
    @Test("verifies images, in any order, and keeps none")
    func verified() async throws {
        let store = ScratchStore()
        for transfer in [
            TestTransfer(seed: 1_000), TestTransfer(seed: 1_001, hasLongManifest: false),
            TestTransfer(deflating: (0..<5_000).map { UInt8($0 >> 8) }, blockByteCount: 256),
        ] {
            let stored = try await transfer.run(on: store).stored
            #expect(stored.path == nil)
            #expect(stored.byteCount == transfer.image.count)
            guard case .current(stored) = try await transfer.open(on: store) else {
                Issue.record("what was verified last is not known")
                return
            }
        }
    }

    @Test("goes on where a link was lost, within the process")
    func resumed() async throws {
        let store = ScratchStore()
        let transfer = TestTransfer(seed: 1_002)
        _ = try await transfer.open(on: store)
        try await transfer.sendManifest(to: store)
        _ = try await store.acceptManifest()
        try await store.write(transfer.imageBlocks[4], object: .image, blockIndex: 4)
        await store.release()
        #expect(try await transfer.run(on: store).image == [0, 1, 2, 3, 5])
    }

    //= OBJ-6
    @Test("does not verify what arrived otherwise, as it is or decoded")
    func wrong() async throws {
        let store = ScratchStore()
        let transfer = TestTransfer(seed: 1_003)
        _ = try await transfer.open(on: store)
        await expect(.busy) { _ = try await transfer.open(on: store) }
        try await transfer.sendManifest(to: store)
        _ = try await store.acceptManifest()
        for (index, block) in transfer.imageBlocks.enumerated() {
            let bytes = index == 2 ? block.map { ~$0 } : block
            try await store.write(bytes, object: .image, blockIndex: index)
        }
        await expect(.imageMismatch) { _ = try await store.publish() }

        let image = [UInt8](repeating: 1, count: 1_000)
        let encoded = TestTransfer(
            image,
            travellingAs: Deflater.deflate(image, byteCountMax: .max)!,
            .zlib,
            sha256: Array(repeating: 9, count: 32)
        )
        await expect(.imageMismatch) { try await encoded.run(on: store) }
    }
}
