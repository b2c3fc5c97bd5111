import BLEOTATestSupport
import BLEOTAWire
import Testing

@testable import BLEOTA

/// spec/vectors/receipt.json: receipts that another program made from the text of section 7.2,
/// rightly and wrongly, and the frames that carry them.
@Suite("Vectors: signed receipts")
struct ReceiptVectorTests {
    private struct Vector: Decodable {
        let id: String
        let result: VectorResult
        let nonce: Hex
        let key: Hex
        let hex: Hex
        let message: Hex?
        let receipt: Statement?
        let exchanges: [Exchange]?
        let reason: String?
    }

    private struct Statement: Decodable {
        let algorithm: UInt8
        let state: UInt8
        let version: String
        let counter: UInt32
        let imageSHA256: Hex
        let publicKey: Hex
    }

    private struct Exchange: Decodable {
        struct Frames: Decodable {
            let challenge: Hex
            let proof: Hex
        }

        let linkByteCount: Int
        let frames: [Frames]
    }

    //= PROOF-4
    @Test("Every right receipt is read as stated and valid for its key and nonce")
    func valid() throws {
        for vector in try vectors(.valid) {
            let receipt = try #require(SignedReceipt(bytes: vector.hex.bytes), "\(vector.id)")
            let stated = try #require(vector.receipt)
            #expect(receipt.running.state.rawValue == stated.state, "\(vector.id)")
            #expect(receipt.version == stated.version, "\(vector.id)")
            #expect(receipt.counter == stated.counter, "\(vector.id)")
            #expect(receipt.sha256 == stated.imageSHA256.bytes, "\(vector.id)")
            #expect(receipt.publicKey == stated.publicKey.bytes, "\(vector.id)")
            let nonce = try #require(ReceiptNonce(bytes: vector.nonce.bytes))
            let isValid = receipt.isValid(for: try key(of: vector), nonce: nonce)
            #expect(isValid, "\(vector.id)")
            let message = SignedMessage.bytes(ofReceipt: receipt.bytes.dropLast(64), nonce: nonce)
            #expect(message == vector.message?.bytes, "\(vector.id)")
        }
    }

    //= PROOF-4
    @Test("No wrong receipt counts, and those that break the form are not read at all")
    func invalid() throws {
        for vector in try vectors(.invalid) {
            let receipt = SignedReceipt(bytes: vector.hex.bytes)
            let reason = try #require(vector.reason)
            let isReadable = ["key", "signature"].contains(reason)
            #expect((receipt != nil) == isReadable, "\(vector.id)")
            let nonce = try #require(ReceiptNonce(bytes: vector.nonce.bytes))
            let isValid = receipt?.isValid(for: try key(of: vector), nonce: nonce) ?? false
            #expect(!isValid, "\(vector.id)")
        }
    }

    //= PROOF-1
    //= PROOF-2
    @Test("A sender that asks as the vectors do puts the receipts of the vectors together")
    func exchanges() throws {
        for vector in try vectors(.valid) {
            let nonce = try #require(ReceiptNonce(bytes: vector.nonce.bytes))
            for exchange in vector.exchanges ?? [] {
                let pieces = try exchange.frames.map { frames -> [UInt8] in
                    let challenge = try SenderControl(decoding: frames.challenge.bytes.span.bytes)
                    let proof = try ReceiverControl(
                        decoding: frames.proof.bytes.span.bytes,
                        session: challenge.session
                    )
                    guard case .challenge(let asked) = challenge, case .proof(let said) = proof
                    else { throw Mistake() }
                    #expect(ReceiptNonce(asked.nonce) == nonce && asked.offset == said.offset)
                    #expect(frames.proof.bytes.count <= exchange.linkByteCount, "\(vector.id)")
                    return (0..<said.piece.byteCount).map { said.piece[$0] }
                }
                #expect(Array(pieces.joined()) == vector.hex.bytes, "\(vector.id)")
            }
        }
    }

    private struct Mistake: Error {}

    private func vectors(_ result: VectorResult) throws -> [Vector] {
        let vectors = try VectorFile<Vector>.read("receipt").filter { $0.result == result }
        #expect(vectors.count > 30)
        return vectors
    }

    private func key(of vector: Vector) throws -> VerifyingKey {
        try VerifyingKey(bytes: vector.key.bytes)
    }
}
