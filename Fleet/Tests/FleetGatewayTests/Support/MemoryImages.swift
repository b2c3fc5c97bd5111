import BLEOTA
import FleetGateway
import FleetModel
import FleetStore
import FleetTestSupport
import Synchronization

import struct Crypto.SHA256

/// Images in memory. It counts the fetches, and can hold them up.
final class MemoryImages: ImageSource {
    private struct State {
        var images: [Digest: [UInt8]] = [:]
        var fetchCounts: [Digest: Int] = [:]
        var isHeldUp = false
    }

    private let state = Mutex(State())

    /// Adds an image of so many random bytes, and returns its digest and its bytes.
    func add(_ byteCount: Int, seed: UInt64) async throws -> (digest: Digest, bytes: [UInt8]) {
        var dice = Dice(seed: seed)
        let folder = try TestFolder()
        let firmware = try await Firmware(
            bytes: (0..<byteCount).map { _ in UInt8.random(in: .min ... .max, using: &dice) },
            name: "firmware.bin",
            options: FirmwareOptions()
        )
        try firmware.write(to: folder.path("image"))
        let bytes = TestFolder.read(folder.path("image")) ?? []
        let digest = Digest(Array(SHA256.hash(data: bytes)))!
        state.withLock { $0.images[digest] = bytes }
        return (digest, bytes)
    }

    func holdUp(_ isHeldUp: Bool) { state.withLock { $0.isHeldUp = isHeldUp } }

    func fetchCount(of image: Digest) -> Int { state.withLock { $0.fetchCounts[image] ?? 0 } }

    func info(_ image: Digest) async throws(FleetStoreError) -> FleetModel.StoredImage {
        let bytes = state.withLock { state in
            state.fetchCounts[image, default: 0] += 1
            return state.images[image] ?? []
        }
        while state.withLock({ $0.isHeldUp }) {
            try? await Task.sleep(for: .milliseconds(5))
        }
        guard let info = FleetModel.StoredImage(byteCount: UInt64(bytes.count)) else {
            throw .brokenImage(image)
        }
        return info
    }

    func chunk(_ number: Int, of image: Digest) async throws(FleetStoreError) -> [UInt8] {
        let bytes = state.withLock { $0.images[image] ?? [] }
        let start = number * FleetModel.StoredImage.chunkByteCount
        return Array(bytes[start...].prefix(FleetModel.StoredImage.chunkByteCount))
    }
}
