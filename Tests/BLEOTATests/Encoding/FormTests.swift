import BLEOTACore
import BLEOTAManifest
import BLEOTATestSupport
import BLEOTAWire
import Crypto
import Testing

@testable import BLEOTA

/// In what form an image goes from end to end.
@Suite("Forms")
struct FormTests {
    private static let bytes: [UInt8] = {
        var random = TestSeed(8)
        return random.bytes(60_000).map { $0 & 7 }
    }()

    private func image(_ bytes: [UInt8] = bytes) throws -> FirmwareFile {
        try FirmwareFile(bytes: bytes, name: "lamp.bin")
    }

    private func prepared(
        _ bytes: [UInt8] = bytes,
        _ change: (inout VariantOptions) -> Void = { _ in }
    ) throws -> Firmware {
        var variants = VariantOptions()
        change(&variants)
        return try Firmware(
            image(bytes),
            version: nil,
            restrictions: ImageRestrictions(),
            variants: variants
        )
    }

    @Test("What gets smaller is compressed, and arrives as it was")
    func zlib() async throws {
        let store = MemoryStore()
        let prepared = try Firmware(image())
        #expect(prepared.variants.map { $0.manifest.encoding?.compression } == [.zlib, nil])
        let report = try await pushing(prepared, over: loopback(), into: store)
        #expect(await store.currentBytes == Self.bytes)
        #expect(report.byteCount == 60_000)
        #expect(report.encodedByteCount == prepared.variants[0].byteCount)
        #expect(report.encodedByteCount < 28_000)
        #expect(report.compression == .zlib && !report.isSealed)
        #expect(report.sha256 == Array(SHA256.hash(data: Self.bytes)))
        #expect(report.imageBytesPerSecond > 2 * report.goodputBytesPerSecond)
        // Frames of 4 bytes more than the encoded image and the manifest, and no more of them.
        let sent = report.encodedByteCount + prepared.variants[0].manifest.bytes.count
        #expect(report.dataByteCount >= sent + 4 * (sent / report.chunkByteCount))
        #expect(report.dataByteCount < 30_000)
    }

    @Test("What does not get smaller by a twentieth goes as it is")
    func incompressible() throws {
        var random = TestSeed(9)
        let noise = random.bytes(60_000)
        #expect(try Firmware(image(noise)).variants.map { $0.manifest.encoding == nil } == [true])
        let still = noise + [UInt8](repeating: 0, count: 2_900)
        #expect(try Firmware(image(still)).variants.count == 1)
        let worthIt = noise + [UInt8](repeating: 0, count: 3_400)
        #expect(try Firmware(image(worthIt)).variants.count == 2)
        #expect(try Firmware(image(), isCompressed: false).variants.count == 1)
        #expect(try Firmware(image([1])).variants.count == 1)
    }

    //= ENC-4
    //= ACCEPT-9
    @Test("A receiver that can't take the first form gets the next", arguments: Refuser.allCases)
    func negotiated(_ refuser: Refuser) async throws {
        let store = refuser.store
        let log = EventLog()
        let report = try await pushing(
            Firmware(image()),
            over: loopback(),
            into: store,
            policy: refuser.policy,
            log: log
        )
        #expect(report.compression == .none)
        #expect(report.encodedByteCount == 60_000)
        #expect(report.resumedFromByte == 0)
        #expect(log.errors.map(\.problem) == [.refused(refuser.reason, detail: refuser.detail)])
        #expect(log.words == ["ended", "started", "stored"])
    }

    //= ENC-4
    @Test("An attribute that no other form is without ends the push", arguments: [0x84, 0x88])
    func otherAttribute(type: UInt64) async throws {
        let prepared = try Firmware(image())
        let (near, far) = loopback()
        let refused = ScriptedReceiver.Manner.result(.unknownAttribute, detail: type)
        async let heard = ScriptedReceiver(of: 60_000, from: .opening, refused).run(over: far)
        let error = await transferError { () throws(TransferError) in
            try await push(prepared, over: near)
        }
        near.close(.local)
        #expect(error?.problem == .refused(.unknownAttribute, detail: type))
        let tags = await heard.compactMap { frame -> TransferTag? in
            if case .open(let open) = frame { open.tag } else { nil }
        }
        #expect(Set(tags) == [prepared.variants[0].manifest.tag])
    }

    enum Refuser: CaseIterable {
        /// One that decodes nothing, and one that was made before there were encodings.
        case policy, store, old

        fileprivate var policy: AcceptancePolicy {
            var policy = AcceptancePolicy()
            policy.takesEncoded = self != .policy
            return policy
        }

        fileprivate var store: any ImageStore {
            switch self {
            case .policy: MemoryStore()
            case .store: PlainStore(attributeUnknown: false)
            case .old: PlainStore(attributeUnknown: true)
            }
        }

        fileprivate var reason: Reason { self == .old ? .unknownAttribute : .unsupportedEncoding }
        fileprivate var detail: UInt64 { self == .old ? 0x85 : 1 }
    }

    @Test("Other refusals are not answered with another form")
    func refused() async throws {
        var policy = AcceptancePolicy()
        policy.judge = { _ in .notNow }
        let log = EventLog()
        let error = await transferError { () throws(TransferError) in
            try await pushing(
                try! Firmware(image()),
                over: loopback(),
                into: MemoryStore(),
                policy: policy,
                log: log
            )
        }
        #expect(error?.problem == .refused(.notNow, detail: 0))
        #expect(log.words == ["ended"])
    }

    //= BUNDLE-1
    @Test("A bundle has all forms, and gives them back")
    func bundle() throws {
        let signed = SignedImage(isCompressible: true)
        let read = try Firmware(FirmwareFile(bytes: signed.bundle, name: "lamp.bleota"))
        #expect(read.variants.map(\.manifest) == signed.prepared.variants.map(\.manifest))
        #expect(read.variants.count == 2)
        for variant in read.variants {
            #expect(variant.manifest.isSigned(by: SignedImage.owner.verifyingKey))
        }
        // Cut by a byte, with one behind it, another form count, something in what is reserved.
        func with(_ value: UInt8, at place: Int) -> [UInt8] {
            var bytes = signed.bundle
            bytes[place] = value
            return bytes
        }
        let wrongs =
            [0, 1, 3, 8, 9].map { with($0, at: 4) } + [with(1, at: 6), with(1, at: 7)]
            + [Array(signed.bundle.dropLast()), signed.bundle + [0]]
        for wrong in wrongs {
            #expect(throws: FirmwareError.self) {
                try Firmware(FirmwareFile(bytes: wrong, name: "lamp.bleota"))
            }
        }
    }

    //= BUNDLE-3
    @Test("A bundle with forms of two images is none")
    func twoImages() throws {
        let (one, other) = (SignedImage(seed: 1), SignedImage(seed: 2))
        let mixed =
            ImageBundle.head(variantCount: 2) + one.bundle.dropFirst(8) + other.bundle.dropFirst(8)
        do throws(FirmwareError) {
            _ = try FirmwareFile(bytes: Array(mixed), name: "mixed.bleota")
            Issue.record("it is taken")
        } catch {
            #expect(error.code == .malformedBundle)
            #expect("\(error)".contains("not of the same image"))
        }
    }

    /// Whoever signs a bundle again would sign what no report shows.
    //= BUNDLE-3
    @Test("A bundle whose forms say different things is none")
    func differentStatements() throws {
        var plain = VariantOptions()
        plain.isCompressed = false
        let one = SignedImage(counter: 7, isCompressible: true, variants: plain)
        let other = SignedImage(counter: 8, isCompressible: true, variants: plain)
        let same = SignedImage(counter: 7, signedBy: [], isCompressible: true, variants: plain)
        func read(_ second: SignedImage) throws(FirmwareError) -> FirmwareFile {
            let bytes =
                ImageBundle.head(variantCount: 2) + one.bundle.dropFirst(8)
                + second.bundle.dropFirst(8)
            return try FirmwareFile(bytes: Array(bytes), name: "mixed.bleota")
        }
        #expect(throws: FirmwareError.self) { try read(other) }
        #expect(try read(same).bundledVariants.count == 2)
    }

    // MARK: - Hostile

    /// The store had let go of the transfer, and was asked to synchronise it once more: a trap.
    @Test(
        "A peer whose image does not decode is refused, and the receiver goes on",
        arguments: StoreKind.allCases
    )
    func undecodable(kind: StoreKind) async throws {
        let directory = TemporaryDirectory(isInMemory: true)
        let test = try StoreUnderTest(kind, in: directory.path)
        var random = TestSeed(20)
        let bytes = random.bytes(20_000)
        let encoded = Deflater.deflate(bytes, byteCountMax: .max)!
        let wrong = TestTransfer(
            bytes,
            travellingAs: encoded,
            .zlib,
            sha256: Array(repeating: 9, count: 32)
        )
        let variant = ImageVariant(wrong.manifest, .memory(encoded))
        let store = test.store
        for _ in 0..<3 {
            let (near, far) = loopback()
            async let served: Void = serve(over: far, into: store)
            var run = PushRun([variant], options: PushOptions()) { _ in }
            let error = await transferError { () throws(TransferError) in
                try await run.once(over: near)
            }
            #expect(error?.problem.reason == .imageMismatch)
            near.close(.local)
            await served
        }
        let image = RandomImage(seed: 21, byteCount: 20_000)
        _ = try await pushing(image.prepared, over: loopback(), into: store)
        #expect(await test.currentBytes() == image.bytes)
    }

    // MARK: - Sealed

    @Test("Only the owner of a key can read a sealed image", arguments: [1, 2, 3])
    func sealed(recipientCount: Int) async throws {
        let keys = (0..<recipientCount).map { _ in UnsealingKey.generate() }
        let prepared = try prepared { $0.recipients = keys.map(\.sealingKey) }
        #expect(prepared.variants.map { $0.manifest.encoding?.isSealed } == [true, true])
        for key in keys {
            var policy = AcceptancePolicy()
            policy.unsealingKeys = [key]
            let store = MemoryStore()
            let report = try await pushing(prepared, over: loopback(), into: store, policy: policy)
            #expect(await store.currentBytes == Self.bytes)
            #expect(report.isSealed && report.compression == .zlib)
            // Who asks for it gets the last form: the image as it is, sealed.
            let plainest = MemoryStore()
            let (near, far) = loopback()
            async let served: Void = serve(over: far, into: MemoryStore(), offering: [prepared])
            let pulled = try await pull("lamp.bin", over: near, into: plainest, policy: policy)
            near.close(.local)
            await served
            #expect(await plainest.currentBytes == Self.bytes)
            #expect(pulled.compression == .none && pulled.isSealed)
        }
        var stranger = AcceptancePolicy()
        stranger.unsealingKeys = [.generate()]
        for (policy, reason) in [
            (stranger, Reason.wrongRecipient), (AcceptancePolicy(), .unsupportedEncoding),
        ] {
            let error = await transferError { () throws(TransferError) in
                try await pushing(prepared, over: loopback(), into: MemoryStore(), policy: policy)
            }
            #expect(error?.problem.reason == reason)
        }
        // Nothing of the image is in what travels.
        let travels = try prepared.variants[1].read(
            at: 0,
            byteCount: prepared.variants[1].byteCount
        )
        #expect(travels.count == 60_000 + 15 * 16)
        let opened = zip(travels, Self.bytes).count { $0 == $1 }
        #expect(opened < 1_000, "\(opened) of 60,000 bytes are what they were")
    }

    //= SEAL-1
    @Test("Each form is sealed anew, and sent again as it was")
    func sealedAnew() async throws {
        let key = UnsealingKey.generate()
        let one = try prepared { $0.recipients = [key.sealingKey] }
        let other = try prepared { $0.recipients = [key.sealingKey, key.sealingKey] }
        let seals = (one.variants + other.variants).map { variant in
            Array(
                variant.manifest.bytes[
                    variant.manifest.fields.seal(in: variant.manifest.bytes.span.bytes)!
                        .ephemeralKey
                ]
            )
        }
        #expect(Set(seals).count == 4)
        // The same image under the same content key would be the same bytes.
        let beginnings = try [one.variants[1], other.variants[1]].map { variant in
            try variant.read(at: 0, byteCount: 256)
        }
        #expect(beginnings[0] != beginnings[1])
        // Cut in the middle, the second push goes on where the first was.
        var policy = AcceptancePolicy()
        policy.unsealingKeys = [key]
        let store = MemoryStore()
        let link = LoopbackTransport.makePair(limits: TransportLimits(attMTU: 247))
        var plan = FaultPlan(seed: 1)
        plan.cutAfterDatagrams = 60
        let cut = FaultyTransport(link.0, plan: plan)
        let error = await transferError { () throws(TransferError) in
            try await pushing(one, over: (cut, link.1), into: store, policy: policy)
        }
        #expect(error?.problem == .linkLost(.injected))
        let report = try await pushing(one, over: loopback(), into: store, policy: policy)
        #expect(report.resumedFromByte > 0)
        #expect(await store.currentBytes == Self.bytes)
    }

    /// What swift-crypto makes of such a key is a secret of zeros, which it does not mind.
    @Test("Nothing is sealed for a key that makes no secret")
    func lowOrder() throws {
        let zeros = SealingKey(bytes: Array(repeating: 0, count: 32))
        do throws(FirmwareError) {
            var variants = VariantOptions()
            variants.recipients = [zeros]
            _ = try Firmware(
                FirmwareFile(bytes: Self.bytes, name: "lamp.bin"),
                version: nil,
                restrictions: ImageRestrictions(),
                variants: variants
            )
            Issue.record("it is sealed")
        } catch {
            #expect(error.code == .unusableKey)
            #expect(error.description.contains(zeros.id.hex))
        }
    }

    // MARK: - Patches

    #if Delta
    /// A store with a current image, a newer image, and that one as a patch against the first.
    private func storeWithBase(
        in directory: TemporaryDirectory,
        seed: UInt64
    ) async throws -> (DirectoryStore, new: [UInt8], patched: Firmware) {
        let store = try DirectoryStore(directory: directory.path / "store")
        var random = TestSeed(seed)
        let old = random.bytes(100_000)
        let new = old + random.bytes(300)
        let base = try image(old)
        _ = try await pushing(Firmware(base), over: loopback(), into: store)
        return (store, new, try prepared(new) { $0.base = base })
    }

    //= ACCEPT-9
    @Test("Who has the base gets the patch, and everybody else another form")
    func patch() async throws {
        var random = TestSeed(10)
        let old = random.bytes(200_000)
        var new = old
        new.insert(contentsOf: random.bytes(300), at: 50_000)
        let base = try image(old)
        let prepared = try prepared(new) { $0.base = base }
        #expect(prepared.variants.map { $0.manifest.encoding?.compression } == [.patch, nil])
        #expect(prepared.variants[0].byteCount < 1_000)

        let store = MemoryStore()
        _ = try await pushing(Firmware(base), over: loopback(), into: store)
        let report = try await pushing(prepared, over: loopback(), into: store)
        #expect(await store.currentBytes == new)
        #expect(report.compression == .patch)
        #expect(report.dataFramesSent < 10)
        // Once it is current, its base does not matter any more.
        let logAgain = EventLog()
        let again = try await pushing(prepared, over: loopback(), into: store, log: logAgain)
        #expect(again.compression == .patch && logAgain.words == ["alreadyCurrent"])

        let log = EventLog()
        let other = MemoryStore()
        let whole = try await pushing(prepared, over: loopback(), into: other, log: log)
        #expect(await other.currentBytes == new)
        #expect(whole.compression == .none)
        #expect(log.errors.map(\.problem.reason) == [.wrongBase])
    }

    /// It was refused as *wrong base*, though it lies there decoded, and the whole image's manifest
    /// was sent for nothing.
    @Test("The image before the current one needs no base to be current again")
    func patchBefore() async throws {
        let directory = TemporaryDirectory(isInMemory: true)
        let (store, new, patched) = try await storeWithBase(in: directory, seed: 12)
        _ = try await pushing(patched, over: loopback(), into: store)
        _ = try await pushing(Firmware(image()), over: loopback(), into: store)

        let log = EventLog()
        let report = try await pushing(patched, over: loopback(), into: store, log: log)
        #expect(log.errors.isEmpty)
        #expect(report.compression == .patch && report.dataFramesSent == 0)
        #expect(try await store.current()?.sha256 == Array(SHA256.hash(data: new)))
    }

    /// The patch arrived, did not become the image, and was sent again with each push.
    @Test("Who has a damaged base gets the whole image")
    func damagedBase() async throws {
        let directory = TemporaryDirectory(isInMemory: true)
        let (store, new, patched) = try await storeWithBase(in: directory, seed: 11)
        let path = try #require(try await store.current()?.filePath)
        writeFile(path, [UInt8](repeating: 0, count: 100_000))
        let log = EventLog()
        let report = try await pushing(patched, over: loopback(), into: store, log: log)
        #expect(report.compression == .none)
        #expect(log.errors.map(\.problem.reason) == [.wrongBase])
        #expect(try await store.current()?.sha256 == Array(SHA256.hash(data: new)))
    }
    #endif
}

extension TransferError.Problem {
    /// The reason of a refusal.
    fileprivate var reason: Reason? {
        switch self {
        case .refused(let reason, _): reason
        case .store(let error): error.reason
        default: nil
        }
    }
}
