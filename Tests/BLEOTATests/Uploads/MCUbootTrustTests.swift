import BLEOTATestSupport
import BLEOTAWire
import Crypto
import Foundation
import Testing

@testable import BLEOTA

@Suite("Signatures of uploaded MCUboot images")
struct MCUbootTrustTests {
    private let ed25519 = Curve25519.Signing.PrivateKey()
    private let p256 = P256.Signing.PrivateKey()

    private var trusted: [VerifyingKey] {
        get throws {
            [
                try VerifyingKey(
                    bytes: Array(ed25519.publicKey.rawRepresentation),
                    kind: .ed25519
                ),
                try VerifyingKey(
                    bytes: Array(p256.publicKey.x963Representation),
                    kind: .p256
                ),
            ]
        }
    }

    private func place(unsigned: Bool? = nil, hardware: Hardware? = nil) throws -> UploadPlace {
        let keys = try trusted
        return try UploadPlace { policy in
            policy.trustedKeys = keys
            policy.takesUnsigned = unsigned
            policy.hardware = hardware
        }
    }

    private func writer() -> MCUbootWriter {
        var writer = MCUbootWriter()
        writer.body = (0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        return writer
    }

    private func keyHash(_ der: [UInt8]) -> MCUbootWriter.Entry {
        .init(type: 0x01, value: Array(Crypto.SHA256.hash(data: der)))
    }

    private func signedByEd25519(_ writer: MCUbootWriter, pure: Bool = false) throws -> [UInt8] {
        var writer = writer
        let message = pure ? writer.hashed : Array(Crypto.SHA256.hash(data: writer.hashed))
        writer.unprotected = [
            keyHash(try trusted[0].der),
            .init(type: 0x24, value: Array(try ed25519.signature(for: message))),
        ]
        if pure { writer.unprotected.append(.init(type: 0x25, value: [1])) }
        return writer.bytes
    }

    private func signedByP256(_ writer: MCUbootWriter, padding: Int = 0) throws -> [UInt8] {
        var writer = writer
        let signature = try p256.signature(for: writer.hashed).derRepresentation
        writer.unprotected = [
            keyHash(try trusted[1].der),
            .init(type: 0x22, value: signature + [UInt8](repeating: 0, count: padding)),
        ]
        return writer.bytes
    }

    @Test("Ed25519 over the hash or the bytes and ECDSA P-256 are accepted")
    func accepted() async throws {
        let images = [
            try signedByEd25519(writer()), try signedByEd25519(writer(), pure: true),
            try signedByP256(writer()), try signedByP256(writer(), padding: 3),
        ]
        for image in images {
            let place = try place()
            #expect(await place.refusal(of: image) == "accepted")
            #expect(await place.intake.slots().last?.version == "1.2.3+4")
        }
    }

    @Test("a signature without the hash of its key is tried with each trusted key")
    func unnamed() async throws {
        var image = writer()
        let hash = Array(Crypto.SHA256.hash(data: image.hashed))
        image.unprotected = [.init(type: 0x24, value: Array(try ed25519.signature(for: hash)))]
        #expect(try await place().refusal(of: image.bytes) == "accepted")
    }

    @Test("other keys, other bytes and other algorithms are refused by name")
    func refused() async throws {
        let place = try place()
        #expect(await place.refusal(of: writer().bytes) == "unsigned")

        var foreign = writer()
        let other = Curve25519.Signing.PrivateKey()
        let hash = Array(Crypto.SHA256.hash(data: foreign.hashed))
        foreign.unprotected = [
            keyHash([1, 2, 3]),
            .init(type: 0x24, value: Array(try other.signature(for: hash))),
        ]
        #expect(await place.refusal(of: foreign.bytes) == "untrustedKey")
        foreign.unprotected[0] = keyHash(try trusted[0].der)
        #expect(await place.refusal(of: foreign.bytes) == "badSignature")

        var rsa = writer()
        rsa.unprotected = [.init(type: 0x20, value: [UInt8](repeating: 1, count: 256))]
        #expect(await place.refusal(of: rsa.bytes) == "unsupportedSignature")

        var padded = writer()
        padded.padding = [UInt8](repeating: 0xFF, count: 100)
        #expect(try await place.refusal(of: signedByEd25519(padded)) == "padded")

        var damaged = try signedByEd25519(writer())
        damaged[1_000] ^= 1
        #expect(await place.refusal(of: damaged) == "malformedMCUboot")

        // The hash is right again, but the signature is that of the original.
        var changed = writer()
        changed.body[0] ^= 1
        let original = Array(Crypto.SHA256.hash(data: writer().hashed))
        changed.unprotected = [
            keyHash(try trusted[0].der),
            .init(type: 0x24, value: Array(try ed25519.signature(for: original))),
        ]
        #expect(await place.refusal(of: changed.bytes) == "badSignature")
        #expect(await place.refusal(of: Array("raw".utf8) + writer().body) == "unsuitable")
        #expect(await place.intake.slots().count == 1)
        #expect(try await place.store.current() == nil)
    }

    @Test("unsigned images are accepted only if the policy says so")
    func unsigned() async throws {
        #expect(try await place(unsigned: true).refusal(of: writer().bytes) == "accepted")
        #expect(try await place(unsigned: false).refusal(of: writer().bytes) == "unsigned")
    }

    @Test("a device that knows its hardware refuses a signed image that names none")
    func hardware() async throws {
        let place = try place(hardware: Hardware(name: "acme/lamp", revision: 1))
        #expect(try await place.refusal(of: signedByEd25519(writer())) == "wrongHardware")
    }

    private func image(counter: UInt8) throws -> [UInt8] {
        var image = writer()
        image.protected = [.init(type: 0x50, value: [counter, 0, 0, 0])]
        return try signedByP256(image)
    }

    /// The client was told that the image is marked, and the device only logged the refusal.
    @Test("a client that marks the previous image is told that its counter is too low by now")
    func previous() async throws {
        let place = try place()
        var hashes: [[UInt8]] = []
        for counter in [6, 7] as [UInt8] {
            #expect(try await place.refusal(of: image(counter: counter)) == "accepted")
            let hash = try #require(await place.intake.slots().last?.hash)
            hashes.append(hash)
            try await place.intake.mark(hash: hash, isPermanent: true)
            #expect(try await place.intake.activate() != nil)
        }
        let error = await #expect(throws: UploadIntake.SlotError.self) {
            try await place.intake.mark(hash: hashes[0], isPermanent: false)
        }
        guard case .failed(let why) = error, case .refused(.downgrade, _) = why.problem else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(await place.intake.slots().map(\.isPending) == [false, false])
        _ = try await place.intake.activate()
        #expect(await place.intake.slots().first?.hash == hashes[1])
    }

    @Test("the security counter of a signed image is raised, and a lower one is refused")
    func counter() async throws {
        let place = try place()
        let new = try image(counter: 7)
        #expect(await place.refusal(of: new) == "accepted")
        let hash = try #require(await place.intake.slots().last?.hash)
        try await place.intake.mark(hash: hash, isPermanent: true)
        let (current, isOnTrial) = try #require(await place.intake.activate())
        #expect(try current.path.map { try Array(Data(contentsOf: URL(filePath: $0))) } == new)
        #expect(!isOnTrial)
        #expect(try await place.store.status().counter == 7)
        #expect(try await place.refusal(of: image(counter: 6)) == "downgrade")
        #expect(try await place.refusal(of: image(counter: 8)) == "accepted")
    }
}
