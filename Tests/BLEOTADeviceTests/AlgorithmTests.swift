import BLEOTADevice
import BLEOTAManifest
import BLEOTATestSupport
import Testing

/// What a device's hooks are asked about signatures of both algorithms, in Swift and in C.
@Suite("A device and the algorithms of signatures")
struct AlgorithmTests {
    private static let keys = [TestKey(seed: 1), TestKey(seed: 1, .p256)]

    private func worlds(trusting key: TestKey) throws -> [World] {
        let makers: [World.Maker] = [{ try SwiftDevice($0) }, { try CDevice($0) }]
        return try makers.map { maker in
            let board = Board(NORFlash(NORFlash.Geometry(), clock: TestClock()))
            board.takesUnsigned = false
            board.keys = [key]
            return try World(board, makeDevice: maker)
        }
    }

    private func image(signedBy keys: [TestKey]) -> TestImage {
        TestImage(byteCount: 5_000, TestImage.Extras(signers: keys))
    }

    @Test("What its key has signed is taken, also behind a signature of the other kind")
    func taken() throws {
        for key in Self.keys {
            for world in try worlds(trusting: key) {
                for signers in [[key], Self.keys] {
                    let image = image(signedBy: signers)
                    #expect(world.transfer(image) == .verified)
                    world.expectCurrent(image)
                }
            }
        }
    }

    @Test("What a key of the other kind has signed is not, nor what says that it is of its kind")
    func strangers() throws {
        for (key, other) in zip(Self.keys, Self.keys.reversed()) {
            for world in try worlds(trusting: key) {
                let foreign = image(signedBy: [other])
                #expect(world.transfer(foreign) == .refused(.untrustedKey, detail: 0))
                var renamed = image(signedBy: [key])
                renamed.manifest[renamed.manifest.count - 76] = other.algorithm.rawValue
                #expect(world.transfer(renamed) == .refused(.untrustedKey, detail: 0))
            }
        }
    }

    @Test("Each byte of a signature counts")
    func changed() throws {
        for key in Self.keys {
            for world in try worlds(trusting: key) {
                for offset in 1...64 {
                    var image = image(signedBy: [key])
                    image.manifest[image.manifest.count - offset] ^= 1
                    let ending = world.transfer(image)
                    #expect(ending == .refused(.badSignature, detail: 0), "byte \(offset)")
                }
            }
        }
    }
}
