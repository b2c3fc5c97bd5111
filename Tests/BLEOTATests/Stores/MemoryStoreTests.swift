import BLEOTAWire
import Testing

@testable import BLEOTA

@Suite("A store in memory")
struct MemoryStoreTests {
    @Test("drops after a power cut what was not synchronised, and nothing else")
    func losePower() async throws {
        let transfer = TestTransfer(seed: 600)
        let store = MemoryStore()
        _ = try await transfer.open(on: store)
        try await transfer.sendManifest(to: store)
        _ = try await store.acceptManifest()
        try await store.write(transfer.imageBlocks[2], object: .image, blockIndex: 2)
        try await store.synchronize()
        try await store.write(transfer.imageBlocks[3], object: .image, blockIndex: 3)

        await store.losePower()
        let asked = try await transfer.run(on: store)
        #expect(asked.manifest.isEmpty)
        #expect(asked.image == [0, 1, 3, 4, 5])
        await store.losePower()
        #expect(await store.currentBytes == transfer.image)
        #expect(await store.current?.manifest == transfer.manifest)
    }
}
