import BLEOTADevice
import BLEOTAManifest
import Testing

/// What a device does not take, and that it says why before anything of the image area changes.
@Suite("A device refuses")
struct RefusalTests {
    /// One image that is refused.
    struct Case: Sendable, CustomStringConvertible {
        var description: String
        var geometry = NORFlash.Geometry()
        /// What the device is.
        var board: @Sendable (Board) -> Void
        var image: TestImage
        var reason: Reason
        var detail: UInt64 = 0

        init(
            _ description: String,
            _ image: TestImage,
            _ reason: Reason,
            detail: UInt64 = 0,
            _ board: @escaping @Sendable (Board) -> Void = { _ in }
        ) {
            self.description = description
            self.image = image
            self.reason = reason
            self.detail = detail
            self.board = board
        }
    }

    private static let key = TestKey(seed: 1)
    private static let otherKey = TestKey(seed: 2)

    private static func image(
        _ attributes: [(ManifestAttributeType, [UInt8])] = [],
        signers: [TestKey] = [],
        byteCount: Int = 10_000,
        blockByteCount: Int = 4_096
    ) -> TestImage {
        TestImage(
            byteCount: byteCount,
            blockByteCount: blockByteCount,
            TestImage.Extras(
                attributes: attributes.map { ($0.0, $0.1) },
                signers: signers.sorted { $0.id.rawValue < $1.id.rawValue }
            )
        )
    }

    private static func hardware(_ name: String, _ lowest: UInt16, _ highest: UInt16) -> [UInt8] {
        var value: [UInt8] = []
        value.append(lowest)
        value.append(highest)
        return value + Array(name.utf8)
    }

    /// With another byte at an offset from the end.
    private static func changed(_ image: TestImage, fromEnd offset: Int) -> TestImage {
        var image = image
        image.manifest[image.manifest.count - offset] ^= 1
        return image
    }

    @Sendable private static func isSigned(_ board: Board) {
        board.takesUnsigned = false
        board.keys = [key]
    }

    @Sendable private static func isHardware(_ board: Board) {
        board.hardware = ("maker/board", 3)
    }

    private static let cases: [Case] = [
        Case("no signature", image(), .unsigned, isSigned),
        Case("a key nobody trusts", image(signers: [otherKey]), .untrustedKey, isSigned),
        Case(
            "a signature that is wrong in its last bit",
            changed(image(signers: [key]), fromEnd: 1),
            .badSignature,
            isSigned
        ),
        Case(
            "a wrong signature by a trusted key, where unsigned images are taken",
            changed(image(signers: [key]), fromEnd: 60),
            .badSignature,
            { $0.keys = [key] }
        ),
        Case(
            "a hash of a block that was changed after signing",
            changed(image(signers: [key, otherKey]), fromEnd: 2 * 76 + 3),
            .badSignature,
            isSigned
        ),
        // The one before it is right, and by a trusted key.
        Case(
            "a second signature with a reserved byte that is not zero",
            changed(image(signers: [key, otherKey]), fromEnd: 76 - 1),
            .malformedManifest,
            isSigned
        ),
        Case(
            "other hardware",
            image([(.hardware, hardware("maker/boarD", 1, 9))]),
            .wrongHardware,
            isHardware
        ),
        Case(
            "a revision too old",
            image([(.hardware, hardware("maker/board", 1, 2))]),
            .wrongHardware,
            isHardware
        ),
        Case(
            "a revision too new",
            image([(.hardware, hardware("maker/board", 4, 9))]),
            .wrongHardware,
            isHardware
        ),
        Case(
            "a signed image that does not say for which hardware",
            image(signers: [key]),
            .wrongHardware
        ) { board in
            isSigned(board)
            isHardware(board)
        },
        Case(
            "hardware, of a device that does not know its own",
            image([(.hardware, hardware("maker/board", 0, .max))]),
            .wrongHardware
        ),
        Case("a component, of a device without", image([(.component, [1])]), .wrongComponent),
        Case(
            "another component",
            image([(.component, Array("modem2".utf8))]),
            .wrongComponent,
            { $0.component = "modem" }
        ),
        Case("no counter, below the lowest", image(), .downgrade, detail: 1) { $0.counterMin = 1 },
        Case(
            "a counter below the lowest",
            image([(.counter, [0xFE, 0xFF, 0xFF, 0xFF])]),
            .downgrade,
            detail: 0xFFFF_FFFF,
            { $0.counterMin = .max }
        ),
        Case(
            "an encoded image",
            image([(.encoding, [1] + [UInt8](repeating: 1, count: 36))]),
            .unsupportedEncoding,
            detail: 1
        ),
        Case(
            "an attribute that must be understood",
            image([(ManifestAttributeType(rawValue: 0xC7), [1, 2])]),
            .unknownAttribute,
            detail: 0xC7
        ),
        Case("a manifest that begins wrong", malformed(at: 0), .malformedManifest),
        Case("reserved bytes", malformed(at: 6), .malformedManifest),
        Case("an image that is longer than its hashes", malformed(at: 9), .malformedManifest),
        {
            var large = Case(
                "a manifest larger than its area",
                image(byteCount: 65_536, blockByteCount: 256),
                .tooLarge,
                detail: 4_096
            )
            large.geometry.manifestByteCount = 4_096
            return large
        }(),
        Case(
            "a manifest larger than the memory",
            image(byteCount: 160_000, blockByteCount: 256),
            .tooLarge,
            detail: 8_192
        ),
        Case("an image larger than the slot", image(byteCount: 65_537), .noSpace, detail: 65_536),
        Case(
            "blocks larger than the memory",
            image(blockByteCount: 8_192),
            .tooLarge,
            detail: 4_096
        ),
        // There is a bit for each block of the longest kind, and the rest of a word.
        Case(
            "more blocks than there are bits for",
            image(byteCount: 65_536, blockByteCount: 256),
            .tooLarge,
            detail: 64 * 256
        ),
    ]

    private static func malformed(at offset: Int) -> TestImage {
        var image = image()
        image.manifest[offset] ^= 0x10
        return image
    }

    //= OBJ-3
    //= ACCEPT-1
    @Test("An image that is not for it, before it touches the image area", arguments: cases)
    func refused(_ refused: Case) throws {
        let board = Board(NORFlash(refused.geometry, clock: TestClock()))
        let world = try World(board)
        let old = TestImage(byteCount: 12_345, seed: 99)
        #expect(world.transfer(old) == .verified)
        let (outside, count) = (world.flash.outside, world.flash.slotOperationCount)
        refused.board(board)
        for _ in 0..<2 {
            let outcome = world.transfer(refused.image)
            #expect(outcome == .refused(refused.reason, detail: refused.detail))
            #expect(world.endings.last == refused.reason)
            #expect(world.flash.slotOperationCount == count)
            #expect(world.record()?.sequence == 1)
            world.expectCurrent(old)
        }
        // Another one is taken then.
        board.takesUnsigned = true
        board.hardware = nil
        board.counterMin = 0
        let new = TestImage(byteCount: 9_999)
        #expect(world.transfer(new) == .verified)
        world.expectCurrent(new)
        #expect(world.flash.outside == outside)
    }

    @Test("Nothing of what is for it and signed")
    func taken() throws {
        let board = Board(NORFlash(NORFlash.Geometry(), clock: TestClock()))
        let world = try World(board)
        Self.isSigned(board)
        Self.isHardware(board)
        board.component = "modem"
        board.counterMin = 7
        let image = Self.image(
            [
                (.name, Array("x.bin".utf8)),
                (ManifestAttributeType(rawValue: 0x44), []),
                (.hardware, Self.hardware("maker/board", 3, 3)),
                (.component, Array("modem".utf8)),
                (.counter, [7, 0, 0, 0]),
                // It has no clock, so nothing expires.
                (.expiry, [1, 0, 0, 0, 0, 0, 0, 0]),
            ],
            signers: [Self.key, Self.otherKey]
        )
        #expect(world.transfer(image) == .verified)
        world.expectCurrent(image)
        #expect(world.record()?.counter == 7)
    }

    //= ACCEPT-8
    @Test("A manifest that it holds is judged again in every session")
    func judgedAgain() throws {
        let board = Board(NORFlash(NORFlash.Geometry(), clock: TestClock()))
        let world = try World(board)
        board.keys = [Self.key]
        board.takesUnsigned = false
        let image = Self.image(signers: [Self.key], byteCount: 40_000)
        world.send(image)
        world.run { $0.durableByteCountTold >= 8_192 }
        world.stopSending()
        try world.restart()
        board.keys = []
        let count = world.flash.operationCount
        #expect(world.transfer(image) == .refused(.untrustedKey, detail: 0))
        #expect(world.flash.operationCount == count)
        board.keys = [Self.key]
        #expect(world.transfer(image) == .verified)
        world.expectCurrent(image)
        #expect(world.resumedByteCounts.last! >= 8_192)
    }

    @Test("A block that is not the one in the manifest, and takes the right one")
    func wrongBlock() throws {
        let world = try World(Board(NORFlash(NORFlash.Geometry(), clock: TestClock())))
        let image = TestImage(byteCount: 20_000)
        var bytes = image.bytes
        bytes[9_000] ^= 4
        var wrong = TestImage(bytes)
        wrong.manifest = image.manifest
        #expect(world.transfer(wrong) == .refused(.blockMismatch, detail: 2))
        let rejected = world.board.events.filter { $0 == .blockRejected(2) }
        #expect(rejected.count == 8)
        // The two blocks before it are there; for the wrong one nothing was erased.
        #expect(world.flash.slotEraseCounts.prefix(3).elementsEqual([1, 1, 0]))
        #expect(world.transfer(image) == .verified)
        world.expectCurrent(image)
    }

    @Test("A manifest that is not the one announced, three times")
    func wrongManifest() throws {
        let world = try World(Board(NORFlash(NORFlash.Geometry(), clock: TestClock())))
        let image = TestImage(byteCount: 20_000)
        world.send(image)
        // Announced is what the tag says; what comes is something else.
        world.sender?.manifestSent = TestImage(byteCount: 20_000, seed: 8).manifest
        world.run { $0.sender?.machine.outcome != nil }
        #expect(world.sender?.machine.outcome == .refused(.manifestMismatch, detail: 0))
        #expect(world.flash.slotOperationCount == 0)
        #expect(world.transfer(image) == .verified)
        world.expectCurrent(image)
    }

    @Test("A whole image that has another hash than its blocks promise, three times")
    func wrongImage() throws {
        let world = try World(Board(NORFlash(NORFlash.Geometry(), clock: TestClock())))
        let old = TestImage(byteCount: 5_000, seed: 9)
        #expect(world.transfer(old) == .verified)
        var image = TestImage(byteCount: 20_000)
        image.manifest[20] ^= 1
        #expect(world.transfer(image) == .refused(.imageMismatch, detail: 0))
        #expect(world.record()?.imageByteCount == 0)
        #expect(world.transfer(old) == .verified)
        world.expectCurrent(old)
    }
}
