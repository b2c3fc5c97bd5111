import BLEOTATestSupport
import BLEOTAWire
import Foundation
import SystemPackage
import Testing

@testable import BLEOTA

@Suite("Uploads into a store")
struct UploadIntakeTests {
    /// An unsigned image with its hash.
    private static func image(_ seed: UInt8, byteCount: Int = 300_000) -> [UInt8] {
        var writer = MCUbootWriter()
        writer.body = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ Int(seed)) }
        return writer.bytes
    }

    private static func content(_ image: StoredImage?) throws -> [UInt8]? {
        try image?.path.map { try Array(Data(contentsOf: URL(filePath: $0))) }
    }

    private static func signed(_ file: FirmwareFile, _ key: SigningKey) throws -> Firmware {
        try Firmware(file, version: nil, restrictions: ImageRestrictions(), signedBy: [key])
    }

    @Test("an upload waits until it is marked and the device restarts")
    func staged() async throws {
        let place = try UploadPlace()
        let first = Self.image(1)
        _ = try await place.upload(first)
        #expect(try await place.store.current() == nil)
        #expect(try await place.intake.activate() == nil)
        let waiting = try #require(await place.intake.slots().last)
        #expect(waiting.number == 1 && !waiting.isPending && !waiting.isActive)

        try await place.intake.mark(hash: waiting.hash, isPermanent: false)
        #expect(await place.intake.slots().last?.isPending == true)
        let (image, isOnTrial) = try #require(await place.intake.activate())
        #expect(isOnTrial)
        #expect(try Self.content(image) == first)
        var active = try #require(await place.intake.slots().first)
        #expect(active.isActive && !active.isConfirmed && active.hash == waiting.hash)
        try await place.intake.confirmRunning()
        active = try #require(await place.intake.slots().first)
        #expect(active.isConfirmed)
    }

    @Test("the previous image can be marked again, and is never erased")
    func previous() async throws {
        let place = try UploadPlace()
        var hashes: [[UInt8]] = []
        for seed in [UInt8(1), 2] {
            _ = try await place.upload(Self.image(seed))
            let hash = try #require(await place.intake.slots().last?.hash)
            hashes.append(hash)
            try await place.intake.mark(hash: hash, isPermanent: true)
            #expect(try await place.intake.activate() != nil)
        }
        await #expect(throws: UploadIntake.SlotError.isProtected) {
            try await place.intake.erase(slot: 1)
        }
        await #expect(throws: UploadIntake.SlotError.runsAlready) {
            try await place.intake.mark(hash: hashes[1], isPermanent: false)
        }
        try await place.intake.mark(hash: hashes[0], isPermanent: true)
        #expect(try await place.intake.activate() != nil)
        #expect(await place.intake.slots().map(\.hash) == hashes)
    }

    @Test("an upload resumes after the receiver was killed, and what is not intact is dropped")
    func resumed() async throws {
        let directory = ToolDirectory()
        let image = Self.image(3)
        let id = UploadPlace.id(image)
        var place: UploadPlace? = try UploadPlace(directory)
        let intake = try #require(place).intake
        _ = try await intake.begin(id, beginning: Array(image.prefix(32)))
        #expect(try await intake.append(Array(image[..<200_000]), to: id, at: 0) == 200_000)
        #expect(try await intake.append([1, 2, 3], to: id, at: 7) == 200_000)
        place = nil
        // The store is open as long as the intake, so a copy stands for the killed process.
        let copy = ToolDirectory()
        try FileManager.default.copyItem(
            atPath: directory.path("store"),
            toPath: copy.path("store")
        )
        let second = try UploadPlace(copy)
        _ = try await second.upload(image, from: 200_000)
        #expect(await second.intake.slots().last?.byteCount == image.count)

        var other = UploadID(sha256: Array(repeating: 9, count: 32), byteCount: image.count)
        _ = try await second.intake.begin(other, beginning: Array(image.prefix(32)))
        _ = try await second.intake.append(image, to: other, at: 0)
        #expect(try await second.intake.finish(other) == nil)
        other = UploadPlace.id(image)
        #expect(try await second.intake.begin(other, beginning: image) == image.count)
    }

    @Test("two unfinished uploads are kept, those with the most bytes")
    func retention() async throws {
        let place = try UploadPlace()
        let images = (0..<4).map { Self.image(UInt8($0), byteCount: 3_000) }
        for (index, image) in images.enumerated() {
            let id = UploadPlace.id(image)
            _ = try await place.intake.begin(id, beginning: Array(image.prefix(32)))
            let part = Array(image[..<(index == 0 ? 2_000 : 100)])
            #expect(try await place.intake.append(part, to: id, at: 0) == part.count)
            await place.intake.pause(id)
        }
        let names = try FileManager.default.contentsOfDirectory(
            atPath: place.directory.path("store/uploads")
        )
        #expect(names.count == 2)
        let first = UploadPlace.id(images[0])
        #expect(try await place.intake.append([], to: first, at: 0) == 2_000)
        #expect(try await place.intake.append([], to: UploadPlace.id(images[1]), at: 0) == nil)
    }

    @Test("a bundle is judged when its first manifest has arrived")
    func bundle() async throws {
        let directory = ToolDirectory()
        let key = SigningKey.generate()
        let file = try FirmwareFile(bytes: Self.image(5), name: "lamp.bin")
        for (firmware, isSigned) in [
            (try Firmware(file), false), (try Self.signed(file, key), true),
        ] {
            let path = directory.path("bundle-\(isSigned)")
            try firmware.writeBundle(to: .init(path))
            let bytes = try Array(Data(contentsOf: URL(filePath: path)))
            let place = try UploadPlace { $0.trustedKeys = [key.verifyingKey] }
            if isSigned {
                #expect(await place.refusal(of: bytes) == "accepted")
                let hash = try #require(await place.intake.slots().last?.hash)
                try await place.intake.mark(hash: hash, isPermanent: true)
                let (image, _) = try #require(await place.intake.activate())
                #expect(try Self.content(image) == Self.image(5))
            } else {
                let id = UploadPlace.id(bytes)
                _ = try await place.intake.begin(id, beginning: Array(bytes.prefix(32)))
                let beginning = Array(bytes.prefix(bytes.count / 2))
                await #expect(throws: TransferError.self) {
                    try await place.intake.append(beginning, to: id, at: 0)
                }
                #expect(try await place.intake.append([], to: id, at: 0) == nil)
            }
        }
    }

    @Test("with a program that installs, the running image is the one that the record names")
    func installed() async throws {
        let running = Monitor(RunningImage.unknown)
        let place = try UploadPlace(isInstalled: true) { policy in
            policy.running = { running.read { $0 } }
        }
        for seed in [UInt8(1), 2] {
            _ = try await place.upload(Self.image(seed))
            let hash = try #require(await place.intake.slots().last?.hash)
            try await place.intake.mark(hash: hash, isPermanent: seed == 1)
            let (image, _) = try #require(await place.intake.activate())
            if seed == 1 { running.update { $0 = .confirmed(image.sha256) } }
        }
        running.update { $0 = RunningImage(state: .installing, tag: $0.tag) }
        let slots = await place.intake.slots()
        #expect(slots.map(\.isActive) == [true, false])
        #expect(slots.map(\.isPending) == [false, true])
        await #expect(throws: UploadIntake.SlotError.isInstalling) {
            try await place.intake.confirmRunning()
        }
    }
}
