import BLEOTADevice
import BLEOTAManifest
import BLEOTAReceiverC
import BLEOTASimulation
import CBLEOTAReceiver
import Crypto
import Testing

/// A device that signs what it runs, through the functions for C.
@Suite("Signed receipts of a device", .serialized)
struct ReceiptTests {
    private static let sha256 = (0..<32).map { UInt8($0 + 1) }
    private static let nonce = ChallengeNonce(low: 0x0706_0504_0302_0100, high: 0x0B0A_0908)

    /// What the hook of a test signs with, and how often it was called.
    private final class Signer {
        let key: TestKey
        var isWilling = true
        var count = 0
        var messages: [[UInt8]] = []

        init(_ key: TestKey) { self.key = key }
    }

    /// The hook gets the context of the board, so the signer is here.
    nonisolated(unsafe) private static var signer: Signer?

    private final class Receipts {
        let pointer = UnsafeMutablePointer<bleota_receipts>.allocate(capacity: 1)
        private let bytes: UnsafeMutablePointer<UInt8>
        private let version: UnsafeMutablePointer<CChar>

        init(_ key: TestKey, version text: String) {
            bytes = .allocate(capacity: 65 + 32)
            for (index, byte) in key.publicBytes.enumerated() { bytes[index] = byte }
            for (index, byte) in ReceiptTests.sha256.enumerated() { bytes[65 + index] = byte }
            let count = text.utf8.count
            version = .allocate(capacity: count + 1)
            for (index, byte) in text.utf8.enumerated() {
                version[index] = CChar(bitPattern: byte)
            }
            version[count] = 0
            pointer.initialize(to: bleota_receipts())
            pointer.pointee.algorithm = UInt32(key.algorithm.rawValue)
            pointer.pointee.public_key = UnsafePointer(bytes)
            pointer.pointee.version = UnsafePointer(version)
            pointer.pointee.image_sha256 = UnsafePointer(bytes + 65)
            pointer.pointee.sign = { (_, message, signature) in
                guard let signer = ReceiptTests.signer else { return false }
                signer.count += 1
                let message = Array(UnsafeBufferPointer(start: message, count: 48))
                signer.messages.append(message)
                let made = signer.key.bareSignature(of: message)
                // What comes of an attempt that fails may be in the memory all the same.
                for (index, byte) in made.enumerated() { signature?[index] = byte }
                return signer.isWilling
            }
        }

        deinit {
            pointer.deallocate()
            bytes.deallocate()
            version.deallocate()
        }
    }

    //= PROOF-1
    //= PROOF-2
    //= PROOF-3
    @Test(
        "A receipt in pieces of every length, signed once",
        arguments: [SignatureAlgorithm.ed25519, .p256].map(\.rawValue)
    )
    func receipt(algorithm: UInt8) throws {
        let key = TestKey(seed: 9, SignatureAlgorithm(rawValue: algorithm))
        for frameByteCountMax: UInt32 in [0, 18, 19, 40, 79] {
            let signer = Signer(key)
            Self.signer = signer
            let receipts = Receipts(key, version: "2.1.0")
            let world = try World(Self.board()) { board in
                try CDevice(board) { $0.counter_min = 77 }
            }
            receipts.pointer.pointee.control_byte_count_max = frameByteCountMax
            let device = try #require(world.device as? CDevice)
            run(device)
            let receipt = try self.receipt(of: receipts, device)
            let keyByteCount = key.publicBytes.count
            #expect(receipt.count == 40 + 5 + keyByteCount + 64)
            #expect(Array(receipt[..<8]) == [algorithm, 1, 5, 0, 77, 0, 0, 0])
            #expect(Array(receipt[8..<40]) == Self.sha256)
            #expect(Array(receipt[40..<45]) == Array("2.1.0".utf8))
            #expect(Array(receipt[45..<45 + keyByteCount]) == key.publicBytes)
            let signed = (0..<12).map { UInt8($0) } + receipt.dropLast(64)
            let message =
                Array("bleota receipt 1".utf8) + Array(Crypto.SHA256.hash(data: signed))
            #expect(key.isSignature(Array(receipt.suffix(64)), of: message))
            #expect(signer.count == 1 && signer.messages == [message])
            // Once more: the same nonce and the same statement.
            let again = try self.receipt(of: receipts, device)
            #expect(again == receipt && signer.count == 1)
            let other = try self.receipt(of: receipts, device, ChallengeNonce(low: 1, high: 2))
            #expect(other != receipt && signer.count == 2)
        }
    }

    //= PROOF-2
    @Test("What changes is signed anew, and what a failed attempt left is used for nothing")
    func changes() throws {
        let key = TestKey(seed: 9)
        let signer = Signer(key)
        Self.signer = signer
        let receipts = Receipts(key, version: "2.1.0")
        let world = try World(Self.board()) { try CDevice($0) }
        let device = try #require(world.device as? CDevice)
        run(device)
        let first = try receipt(of: receipts, device)
        run(device, BLEOTA_RUNNING_ON_TRIAL)
        let second = try receipt(of: receipts, device)
        #expect(second[1] == 2 && second.suffix(64) != first.suffix(64) && signer.count == 2)
        // The device signs nothing now, whatever its memory holds.
        signer.isWilling = false
        run(device)
        #expect(answer(of: receipts, device, 0) == nil && signer.count == 3)
        run(device, BLEOTA_RUNNING_ON_TRIAL)
        #expect(answer(of: receipts, device, 0) == nil && signer.count == 4)
        signer.isWilling = true
        #expect(try receipt(of: receipts, device) == second && signer.count == 5)
        // A hash of another image than the tag's, and none at all.
        #expect(receiverSetRunning(device.receiver, BLEOTA_RUNNING_CONFIRMED, nil) == BLEOTA_OK)
        #expect(answer(of: receipts, device, 0) == nil)
        receipts.pointer.pointee.image_sha256 = nil
        receipts.pointer.pointee.version = nil
        let unknown = try receipt(of: receipts, device)
        #expect(unknown.count == 136 && unknown[8..<40].allSatisfy { $0 == 0 })
    }

    @Test("What is no CHALLENGE, and what a receipt can't be made of, gets no answer")
    func refused() throws {
        let world = try World(Self.board()) { try CDevice($0) }
        let device = try #require(world.device as? CDevice)
        run(device)
        let key = TestKey(seed: 9)
        Self.signer = Signer(key)
        let changes: [(bleota_error, (inout bleota_receipts) -> Void)] = [
            (BLEOTA_OK, { _ in }),
            (BLEOTA_NULL_ARGUMENT, { $0.sign = nil }),
            (BLEOTA_NULL_ARGUMENT, { $0.public_key = nil }),
            (BLEOTA_ARGUMENT_INVALID, { $0.algorithm = 0 }),
            (BLEOTA_ARGUMENT_INVALID, { $0.algorithm = 3 }),
            (BLEOTA_ARGUMENT_INVALID, { $0.algorithm = 257 }),
            (BLEOTA_ARGUMENT_INVALID, { $0.control_byte_count_max = 17 }),
            (BLEOTA_ARGUMENT_INVALID, { $0.control_byte_count_max = 80 }),
        ]
        let challenge = SenderControl.Challenge(
            session: SessionNumber(1),
            offset: 0,
            nonce: Self.nonce
        )
        let frame = FrameBytes.of(.challenge(challenge))
        for (expected, change) in changes {
            let receipts = Receipts(key, version: "")
            change(&receipts.pointer.pointee)
            let error = receiverProve(
                device.receiver,
                receipts.pointer,
                frame,
                UInt32(frame.count)
            )
            #expect(error == expected)
            #expect((receipts.pointer.pointee.proof_byte_count > 0) == (expected == BLEOTA_OK))
        }
        let receipts = Receipts(key, version: "")
        let query = FrameBytes.of(.query(.init(session: SessionNumber(1))))
        for other in [query, Array(frame.dropLast()), frame + [0], []] {
            let error = receiverProve(
                device.receiver,
                receipts.pointer,
                other + [0],
                UInt32(other.count)
            )
            #expect(error == BLEOTA_OK && receipts.pointer.pointee.proof_byte_count == 0)
        }
        #expect(receiverProve(nil, receipts.pointer, frame, 18) == BLEOTA_NULL_ARGUMENT)
        #expect(receiverProve(device.receiver, nil, frame, 18) == BLEOTA_NULL_ARGUMENT)
        #expect(receiverProve(device.receiver, receipts.pointer, nil, 0) == BLEOTA_NULL_ARGUMENT)
    }

    private static func board() -> Board {
        Board(NORFlash(NORFlash.Geometry(), clock: TestClock()))
    }

    private func run(_ device: CDevice, _ state: bleota_running = BLEOTA_RUNNING_CONFIRMED) {
        let error = receiverSetRunning(device.receiver, state, Self.sha256)
        #expect(error == BLEOTA_OK)
    }

    /// The whole receipt, asked for piece by piece.
    private func receipt(
        of receipts: Receipts,
        _ device: CDevice,
        _ nonce: ChallengeNonce = nonce
    ) throws -> [UInt8] {
        var receipt: [UInt8] = []
        while true {
            let piece = try #require(answer(of: receipts, device, UInt8(receipt.count), nonce))
            if piece.isEmpty { return receipt }
            receipt += piece
        }
    }

    /// The piece in the answer to a CHALLENGE; `nil` if there is none.
    private func answer(
        of receipts: Receipts,
        _ device: CDevice,
        _ offset: UInt8,
        _ nonce: ChallengeNonce = nonce
    ) -> [UInt8]? {
        let session = SessionNumber(0x4321)
        let challenge = SenderControl.Challenge(session: session, offset: offset, nonce: nonce)
        let frame = FrameBytes.of(.challenge(challenge))
        let error = receiverProve(
            device.receiver,
            receipts.pointer,
            frame,
            UInt32(frame.count)
        )
        #expect(error == BLEOTA_OK)
        let made = withUnsafeBytes(of: receipts.pointer.pointee.proof) { Array($0) }
            .prefix(Int(receipts.pointer.pointee.proof_byte_count))
        guard !made.isEmpty,
            case .proof(let proof)? = try? ReceiverControl(
                decoding: made.span.bytes,
                session: session
            ),
            proof.offset == offset
        else { return nil }
        return (0..<proof.piece.byteCount).map { proof.piece[$0] }
    }
}
