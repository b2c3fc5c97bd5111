import BLEOTACore
import BLEOTAHost
import BLEOTAManifest
import BLEOTATestSupport
import BLEOTAWire
import SystemPackage
import Testing

@testable import BLEOTA

/// Signed images from end to end.
@Suite("Signed transfers", .timeLimit(.minutes(2)))
struct SignedTransferTests {
    private func push(
        _ image: SignedImage,
        into store: any ImageStore,
        _ policy: AcceptancePolicy = SignedImage.lamp
    ) async -> TransferError.Problem? {
        do throws(TransferError) {
            _ = try await pushing(image.prepared, over: loopback(), into: store, policy: policy)
            return nil
        } catch {
            return error.problem
        }
    }

    //= ACCEPT-7
    @Test("A signed image arrives, and raises the counter before it is current")
    func arrives() async throws {
        let store = WatchedStore()
        let image = SignedImage()
        #expect(await push(image, into: store) == nil)
        #expect(await store.base.currentBytes == image.bytes)
        #expect(await store.base.status().counter == 7)
        #expect(store.steps == ["counter 7", "publish"])
    }

    //= ACCEPT-7
    @Test("Where the counter can't be raised, the image is not current, and that is why")
    func counterStuck() async throws {
        let store = WatchedStore(counterStuck: true)
        let error = await push(SignedImage(), into: store)
        #expect(error == .refused(.storeFailed, detail: UInt64(Errno.readOnlyFileSystem.rawValue)))
        #expect(await store.base.currentBytes.isEmpty)
        #expect(store.steps.isEmpty)
    }

    //= ACCEPT-1
    @Test("Who signed it is asked before whether there is room", arguments: StoreKind.allCases)
    func askedBeforeRoom(kind: StoreKind) async throws {
        let directory = TemporaryDirectory(isInMemory: true)
        let test = try StoreUnderTest(kind, in: directory.path, imageByteCountLimit: 1_000)
        let unsigned = await push(SignedImage(signedBy: []), into: test.store)
        #expect(unsigned == .refused(.unsigned, detail: 0))
        let signed = await push(SignedImage(), into: test.store)
        #expect(signed == .refused(.tooLarge, detail: 1_000))
    }

    //= OBJ-3
    @Test("What is refused is refused before there is room for it")
    func refused() async throws {
        let wrong: [(Reason, SignedImage)] = [
            (.unsigned, SignedImage(signedBy: [])),
            (.untrustedKey, SignedImage(signedBy: [SignedImage.stranger])),
            (
                .wrongHardware,
                SignedImage { $0.hardware = HardwareRange(name: "acme/stove") }
            ),
            (.wrongComponent, SignedImage { $0.component = "radio" }),
            (.expired, SignedImage { $0.expiry = 1_000 }),
        ]
        for (reason, image) in wrong {
            let store = WatchedStore()
            let detail: UInt64 = reason == .expired ? 1_000 : 0
            #expect(await push(image, into: store) == .refused(reason, detail: detail))
            #expect(await store.base.currentBytes.isEmpty)
            #expect(store.imageWriteCount == 0)
        }
    }

    /// A peer that knew no more than the tag, which each OPEN shows, took back what another had
    /// brought.
    //= END-8
    //= END-9
    @Test(
        "What a trusted key has signed is withdrawn only by a session that brought some of it",
        arguments: [true, false]
    )
    func withdrawnByStranger(isSigned: Bool) async throws {
        let image = SignedImage(signedBy: isSigned ? [SignedImage.owner] : [])
        let (tag, byteCount) = (image.manifest.tag, image.manifest.bytes.count)
        let policy: AcceptancePolicy = isSigned ? SignedImage.lamp : .anyDevice
        let store = MemoryStore()
        var owner = StoreWorker(store, policy: policy) { _ in }
        _ = await owner.perform(.lookUp(tag, manifestByteCount: UInt32(byteCount)), bytes: [])
        _ = await owner.perform(.write(.manifest, block: 0), bytes: image.manifest.bytes)
        _ = await owner.perform(.judge, bytes: [])
        let block = Array(image.bytes.prefix(image.manifest.blockByteCount))
        _ = await owner.perform(.write(.image, block: 0), bytes: block)
        _ = await owner.perform(.release(discarding: false), bytes: [])

        var stranger = StoreWorker(store, policy: policy) { _ in }
        _ = await stranger.perform(.lookUp(tag, manifestByteCount: UInt32(byteCount)), bytes: [])
        _ = await stranger.perform(.release(discarding: true), bytes: [])
        let held = try await store.open(tag, manifestByteCount: byteCount)
        if case .image(_, let blocks) = held {
            #expect(isSigned && blocks.first == true)
        } else {
            #expect(!isSigned)
        }
    }

    //= ACCEPT-7
    @Test("An unsigned image does not raise the counter, so that nobody can lock others out")
    func unsignedCounter() async {
        let store = MemoryStore()
        var policy = SignedImage.lamp
        policy.takesUnsigned = true
        let image = SignedImage(counter: .max, signedBy: [])
        #expect(await push(image, into: store, policy) == nil)
        #expect(await store.status().counter == 0)
        let stranger = SignedImage(seed: 2, counter: .max, signedBy: [SignedImage.stranger])
        #expect(await push(stranger, into: store, policy) == nil)
        #expect(await store.status().counter == 0)
        #expect(await push(SignedImage(seed: 3), into: store) == nil)
        #expect(await store.status().counter == 7)
    }

    //= ACCEPT-8
    @Test("A transfer that was begun before is judged again when it goes on")
    func resumed() async throws {
        let store = MemoryStore()
        let old = SignedImage(seed: 4, byteCount: 200_000, counter: 1)
        // It is left in the middle.
        let (near, far) = LoopbackTransport.makePair(limits: TransportLimits(attMTU: 247))
        var plan = FaultPlan(seed: 1)
        plan.cutAfterDatagrams = 400
        let cut = FaultyTransport(near, plan: plan)
        let error = await transferError { () throws(TransferError) in
            try await pushing(old.prepared, over: (cut, far), into: store, policy: SignedImage.lamp)
        }
        #expect(error?.problem == .linkLost(.injected))
        #expect(await store.currentBytes.isEmpty)
        #expect(await push(SignedImage(seed: 5), into: store) == nil)
        #expect(await push(old, into: store) == .refused(.downgrade, detail: 7))
        #expect(await store.currentBytes == SignedImage(seed: 5).bytes)
    }

    //= ACCEPT-8
    @Test("The image that was current before does not come back below the counter")
    func previous() async throws {
        let directory = TemporaryDirectory(isInMemory: true)
        let store = try DirectoryStore(directory: directory.path / "store")
        let (old, new) = (SignedImage(seed: 6, counter: 1), SignedImage(seed: 7, counter: 2))
        #expect(await push(old, into: store) == nil)
        #expect(await push(new, into: store) == nil)
        #expect(await push(old, into: store) == .refused(.downgrade, detail: 2))
        #expect(try await store.current()?.manifest == new.manifest)
        // Of the same counter it may.
        let same = SignedImage(seed: 8, counter: 2)
        #expect(await push(same, into: store) == nil)
        #expect(await push(new, into: store) == nil)
        #expect(try await store.current()?.manifest == new.manifest)
    }

    @Test("Every single-bit flip of a signed manifest is refused")
    func flippedBits() throws {
        let manifest = SignedImage(signedBy: [SignedImage.owner, SignedImage.stranger]).manifest
        let policy = SignedImage.lamp
        #expect(policy.refusal(of: manifest, for: StoreStatus(counter: 0)) == nil)
        // The signature of somebody who is not trusted, and its key, may be anything.
        let strangersID = SignedImage.stranger.verifyingKey.id
        let strangers = try #require(manifest.signatures.first { $0.keyID == strangersID })
        let free = (strangers.value.lowerBound - 8)..<strangers.value.upperBound
        for bit in 0..<manifest.bytes.count * 8 where !free.contains(bit / 8) {
            var bytes = manifest.bytes
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            guard let changed = try? Manifest(bytes: bytes) else { continue }
            let refusal = policy.refusal(of: changed, for: StoreStatus(counter: 0))
            // Another algorithm for the stranger's is as free as its value.
            let isStrangers = bit / 8 == free.lowerBound - 4
            #expect(refusal != nil || isStrangers, "bit \(bit)")
        }
    }

    /// Who hears of it may install it.
    @Test("What is current and not trusted any more is not told as current")
    func currentJudged() async throws {
        let image = SignedImage(isCompressible: true)
        let store = MemoryStore()
        let log = EventLog()
        for _ in 0..<2 {
            _ = try await pushing(
                image.prepared,
                over: loopback(),
                into: store,
                policy: SignedImage.lamp,
                log: log
            )
        }
        #expect(log.words == ["started", "stored", "alreadyCurrent"])
        var policy = SignedImage.lamp
        policy.trustedKeys = [SignedImage.stranger.verifyingKey]
        let error = await transferError { () throws(TransferError) in
            try await pushing(
                image.prepared,
                over: loopback(),
                into: store,
                policy: policy,
                log: log
            )
        }
        #expect(error?.problem == .refused(.untrustedKey, detail: 0))
        #expect(log.words == ["started", "stored", "alreadyCurrent", "ended"])
    }

    /// To sign one more time once trapped here.
    @Test(
        "A manifest that has no room for one more signature is told, and does not end the process"
    )
    func noRoom() throws {
        var bytes = SignedImage(signedBy: []).manifest.bytes
        bytes[bytes.count - 2] = 0
        bytes[bytes.count - 1] = 0x10
        // One of an algorithm that nobody knows, with all the space there is.
        bytes += [200, 0, 0xF4, 0x0F] + Array(repeating: 1, count: 8 + 4_084)
        let full = try Manifest(bytes: bytes)
        do throws(ManifestError) {
            _ = try full.signed(by: SignedImage.owner)
            Issue.record("there is no room for it")
        } catch {
            guard case .signaturesTooLong = error else {
                Issue.record("\(error)")
                return
            }
        }
    }

    @Test("10,000 random edits of a bundle: none is taken")
    func edits() throws {
        let image = SignedImage(byteCount: 2_000, isCompressible: true)
        #expect(image.prepared.variants.count == 2)
        let whole = image.bundle
        let policy = SignedImage.lamp
        let originals = image.prepared.variants.map(\.manifest)
        var random = TestSeed(1)
        var fates: [String: Int] = [:]
        for _ in 0..<10_000 {
            let edited = random.edited(whole)
            guard edited != whole else { continue }
            fates[fate(of: edited, policy, originals), default: 0] += 1
        }
        print("edits: \(fates.sorted { $0.key < $1.key })")
        #expect(fates["taken"] == nil && fates["the same"] == nil)
        #expect(fates.count > 3)
    }

    /// - Parameter originals: the manifests that the owner did sign.
    private func fate(
        of bundle: [UInt8],
        _ policy: AcceptancePolicy,
        _ originals: [Manifest]
    ) -> String {
        do throws(FirmwareError) {
            let image = try FirmwareFile(bytes: bundle, name: "edited.bleota")
            let prepared = try Firmware(image)
            var status = StoreStatus(counter: 0)
            status.decodesImages = true
            // A form that was not touched is still right.
            for variant in prepared.variants where !originals.contains(variant.manifest) {
                guard let refusal = policy.refusal(of: variant.manifest, for: status) else {
                    return "taken"
                }
                return refusal.reason.name ?? "unknown"
            }
            return "the same"
        } catch {
            return error.code.description
        }
    }
}

extension TestSeed {
    /// The same with bytes changed, left out, repeated or put in.
    fileprivate mutating func edited(_ bytes: [UInt8]) -> [UInt8] {
        var edited = bytes
        for _ in 0...Int.random(in: 0...2, using: &self) {
            let start = Int.random(in: 0..<max(edited.count, 1), using: &self)
            let end = min(edited.count, start + Int.random(in: 1...40, using: &self))
            guard start < end else { continue }
            switch Int.random(in: 0..<5, using: &self) {
            case 0: edited[start] ^= 1 << UInt8.random(in: 0..<8, using: &self)
            case 1: edited.removeSubrange(start..<end)
            case 2: edited.insert(contentsOf: edited[start..<end], at: start)
            case 3: edited.insert(contentsOf: self.bytes(end - start), at: start)
            default: edited.replaceSubrange(start..<end, with: self.bytes(end - start))
            }
        }
        return edited
    }
}
