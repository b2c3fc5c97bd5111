import BLEOTACore
import BLEOTAWire
import Testing

@testable import BLEOTA

/// A device that signs what it runs, and somebody who asks.
@Suite("Signed receipts")
struct ReceiptTests {
    private static let sha256 = (0..<32).map { UInt8($0) }
    private static let keys: [SigningKey] = [.generate(), .generateP256()]

    private static var running: RunningImage {
        var running = RunningImage.confirmed(sha256)
        running.version = "2.1.0"
        running.counter = 9
        return running
    }

    //= PROOF-1
    //= PROOF-2
    //= PROOF-4
    @Test("A receipt arrives over links of every width, with either algorithm", arguments: keys)
    func everyWidth(key: SigningKey) async throws {
        for controlByteCountMax in [18, 20, 23, 64, 79, 512] {
            let limits = TransportLimits(
                attMTU: max(controlByteCountMax + 3, 23),
                controlByteCountMax: controlByteCountMax,
                dataByteCountMax: controlByteCountMax
            )
            try await withDevice(key, limits) { link in
                let nonce = ReceiptNonce.random()
                let receipt = try await signedReceipt(over: link, nonce: nonce)
                let found = try #require(receipt)
                #expect(found.isValid(for: key.verifyingKey, nonce: nonce))
                #expect(found.isConfirmed(Self.sha256) && found.version == "2.1.0")
                #expect(found.counter == 9 && found.running == Self.running)
                #expect(found.publicKey == key.verifyingKey.bytes)
                // It is asked on the same link as before.
                #expect(try await runningImage(over: link) == Self.running)
            }
        }
    }

    //= PROOF-4
    @Test("A receipt is not valid for another nonce, another key, or after any change")
    func forged() async throws {
        let key = SigningKey.generate()
        try await withDevice(key) { link in
            let nonce = ReceiptNonce.random()
            let receipt = try #require(try await signedReceipt(over: link, nonce: nonce))
            #expect(!receipt.isValid(for: key.verifyingKey, nonce: .random()))
            #expect(!receipt.isValid(for: SigningKey.generate().verifyingKey, nonce: nonce))
            for offset in receipt.bytes.indices {
                for bit in 0..<8 {
                    var bytes = receipt.bytes
                    bytes[offset] ^= 1 << UInt8(bit)
                    let changed = SignedReceipt(bytes: bytes)
                    let counts = changed?.isValid(for: key.verifyingKey, nonce: nonce) ?? false
                    #expect(!counts, "bit \(bit) of byte \(offset)")
                }
            }
        }
    }

    //= PROOF-3
    @Test("A signature of a manifest is no receipt, and one of a receipt is no manifest")
    func separated() {
        let statement: [UInt8] = Array(repeating: 7, count: 40)
        let nonce = ReceiptNonce.random()
        let ofReceipt = SignedMessage.bytes(ofReceipt: statement[...], nonce: nonce)
        let signedBytes = nonce.bytes + statement
        let ofManifest = SignedMessage.bytes(of: signedBytes.span.bytes)
        #expect(ofReceipt.count == 48 && ofManifest.count == 48)
        #expect(ofReceipt[16...] == ofManifest[16...] && ofReceipt != ofManifest)
    }

    @Test("A device without a key says so at once, and an old one is silent")
    func noReceipts() async throws {
        try await withDevice(nil) { link in
            let receipt = try await signedReceipt(over: link, nonce: .random())
            #expect(receipt == nil)
        }
        let device = ScriptedDevice([.say(.confirmed, Self.sha256)])
        let link = try await device.connect()
        let error = await #expect(throws: TransferError.self) {
            try await signedReceipt(over: link, nonce: .random(), pause: .milliseconds(5))
        }
        #expect(error?.problem == .silent)
        #expect(try await runningImage(over: link).state == .confirmed)
    }

    //= PROOF-1
    @Test("Damaged challenges and proofs are repeated, and the receipt is whole", arguments: keys)
    func damage(key: SigningKey) async throws {
        var rescued = 0
        for seed in UInt64(1)...20 {
            let limits = TransportLimits(attMTU: 23)
            let (near, far) = LoopbackTransport.makePair(limits: limits)
            let plan = FaultPlan(corruption: Probability("10%")!, seed: seed)
            let serving = Task { await Self.serve(key, over: FaultyTransport(far, plan: plan)) }
            let nonce = ReceiptNonce.random()
            let receipt = try? await signedReceipt(
                over: FaultyTransport(near, plan: plan),
                nonce: nonce,
                pause: .milliseconds(20)
            )
            if let receipt {
                #expect(receipt.isValid(for: key.verifyingKey, nonce: nonce), "seed \(seed)")
                rescued += 1
            }
            near.close(.local)
            await serving.value
        }
        #expect(rescued > 10)
    }

    //= PROOF-2
    @Test("What a device states anew is signed anew, in the middle of a receipt too")
    func changed() async throws {
        let key = SigningKey.generateP256()
        let signer = ReceiptSigner(key, frameByteCountMax: 18)
        let nonce = ReceiptNonce.random()
        func receipt(_ running: (Int) -> RunningImage) throws -> SignedReceipt? {
            var bytes: [UInt8] = []
            while true {
                let challenge = SenderControl.Challenge(
                    session: SessionNumber(UInt16(bytes.count)),
                    offset: UInt8(bytes.count),
                    nonce: nonce.wireNonce
                )
                let proof = signer.proof(challenge, of: running(bytes.count))
                #expect(proof.count <= 18)
                let frame = try ReceiverControl(
                    decoding: proof.span.bytes,
                    session: challenge.session
                )
                guard case .proof(let said) = frame, said.piece.byteCount > 0 else { break }
                bytes += (0..<said.piece.byteCount).map { said.piece[$0] }
            }
            return SignedReceipt(bytes: bytes)
        }
        let first = try #require(try receipt { _ in Self.running })
        let again = try receipt { _ in Self.running }
        #expect(first == again)
        #expect(first.isValid(for: key.verifyingKey, nonce: nonce))
        var other = Self.running
        other.state = .onTrial
        let second = try #require(try receipt { _ in other })
        #expect(second.running == other && second.isValid(for: key.verifyingKey, nonce: nonce))
        let mixed = try #require(try receipt { $0 < 100 ? Self.running : other })
        #expect(!mixed.isValid(for: key.verifyingKey, nonce: nonce))
    }

    @Test("A receipt can be asked for in the middle of a transfer")
    func duringTransfer() async throws {
        let key = SigningKey.generate()
        let image = RandomImage(seed: 5, byteCount: 200_000)
        let (near, far) = loopback()
        var policy = AcceptancePolicy()
        policy.deviceKey = key
        policy.running = { Self.running }
        let store = MemoryStore()
        let challenge = SenderControl.Challenge(
            session: SessionNumber(0x7777),
            offset: 40,
            nonce: ReceiptNonce.random().wireNonce
        )
        let link = AskingTransport(near, asking: .challenge(challenge))
        _ = try await pushing(image.prepared, over: (link, far), into: store, policy: policy)
        #expect(await store.currentBytes == image.bytes)
        let proofs = link.answers.filter { answer in
            guard case .proof(let proof) = answer else { return false }
            return proof.offset == 40 && proof.piece[0] == UInt8(ascii: "2")
        }
        #expect(proofs.count > 3 && proofs.count == link.answers.count)
    }

    private func withDevice(
        _ key: SigningKey?,
        _ limits: TransportLimits? = nil,
        _ body: (any Transport) async throws -> Void
    ) async throws {
        let (near, far): (any Transport, any Transport) =
            if let limits { LoopbackTransport.makePair(limits: limits) } else { loopback() }
        let serving = Task { await Self.serve(key, over: far) }
        try await body(near)
        near.close(.local)
        await serving.value
    }

    private static func serve(
        _ key: SigningKey?,
        over link: any Transport,
        into store: any ImageStore = MemoryStore()
    ) async {
        var policy = AcceptancePolicy()
        policy.deviceKey = key
        policy.running = { running }
        await BLEOTA.serve(over: link, into: store, policy: policy)
    }
}
