import BLEOTATestSupport
import Testing

@testable import BLEOTA

/// Keys of P-256 as files have them, and what they sign.
@Suite("Keys of P-256")
struct P256KeyTests {
    /// The key of RFC 6979, section A.2.5, as OpenSSL 3 writes it.
    private static let privatePEM = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgya+p2EW6dRZrXCFX
        Z7HWk05Qw9s26JsSe4piKxIPZyGhRANCAARg/tS6JVqdMclh63TGNW1owEm4kjth
        +mzmaWIuYPKftnkD/hAIuLyZpBrp6VYovGTy8bIMLX6fUXejwpTURiKZ
        -----END PRIVATE KEY-----

        """
    private static let publicPEM = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEYP7UuiVanTHJYet0xjVtaMBJuJI7
        Yfps5mliLmDyn7Z5A/4QCLi8maQa6elWKLxk8vGyDC1+n1F3o8KU1EYimQ==
        -----END PUBLIC KEY-----

        """
    private static let point =
        "0460fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
        + "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"

    @Test("Keys that others made are read, and written as they write them")
    func interchange() throws {
        let key = try SigningKey(pem: Self.privatePEM)
        #expect(key.pem == Self.privatePEM)
        #expect(key.verifyingKey.pem == Self.publicPEM)
        #expect(key.verifyingKey.kind == .p256)
        #expect(key.verifyingKey.bytes == Hex.bytes(of: Self.point))
        // The first bytes of the SHA-256 of the 65 of the point, as sha256sum has them.
        #expect(key.verifyingKey.id.hex == "b18b86ce1389e46d")
        #expect(try VerifyingKey(pem: Self.publicPEM) == key.verifyingKey)
        #expect(try VerifyingKey(pem: Self.privatePEM) == key.verifyingKey)
        #expect(try VerifyingKey(publicPEM: Self.publicPEM) == key.verifyingKey)
        #expect(throws: KeyError.self) { try VerifyingKey(publicPEM: Self.privatePEM) }
    }

    @Test(
        "Other forms of the same private key are read: without public half, and of RFC 5915 alone",
        arguments: [
            """
            -----BEGIN PRIVATE KEY-----
            MEECAQAwEwYHKoZIzj0CAQYIKoZIzj0DAQcEJzAlAgEBBCDJr6nYRbp1FmtcIVdn
            sdaTTlDD2zbomxJ7imIrEg9nIQ==
            -----END PRIVATE KEY-----
            """,
            """
            -----BEGIN EC PRIVATE KEY-----
            MHcCAQEEIMmvqdhFunUWa1whV2ex1pNOUMPbNuibEnuKYisSD2choAoGCCqGSM49
            AwEHoUQDQgAEYP7UuiVanTHJYet0xjVtaMBJuJI7Yfps5mliLmDyn7Z5A/4QCLi8
            maQa6elWKLxk8vGyDC1+n1F3o8KU1EYimQ==
            -----END EC PRIVATE KEY-----
            """,
        ]
    )
    func otherForms(pem: String) throws {
        let key = try SigningKey(pem: pem)
        #expect(key.pem == Self.privatePEM)
    }

    @Test(
        "What is no key of P-256 says so",
        arguments: [
            // A point that is compressed, and one of secp256k1.
            """
            -----BEGIN PUBLIC KEY-----
            MDkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDIgADYP7UuiVanTHJYet0xjVtaMBJuJI7
            Yfps5mliLmDyn7Y=
            -----END PUBLIC KEY-----
            """,
            """
            -----BEGIN EC PRIVATE KEY-----
            MHQCAQEEIKrPGhOx7eJ6BmoMhy5jY5kIvlQpq0n38gHE8GEIguHwoAcGBSuBBAAK
            oUQDQgAEkdkQCBl4P3huDuFPHhUj+swJbK9EHPjFlVDi8vb9RyBEawM1c0vvG4w+
            gP+axB8zAS/2OKiFd1IA3op1s6xY2Q==
            -----END EC PRIVATE KEY-----
            """,
        ]
    )
    func malformed(pem: String) {
        expectMalformed { () throws(KeyError) in try VerifyingKey(pem: pem) }
        expectMalformed { () throws(KeyError) in try SigningKey(pem: pem) }
    }

    @Test("A point that is not on the curve is no key, whichever byte of it is wrong")
    func notOnTheCurve() throws {
        let right = try #require(Hex.bytes(of: Self.point))
        let zeros = [4] + [UInt8](repeating: 0, count: 64)
        let ones = [4] + [UInt8](repeating: 0xFF, count: 64)
        var wrong = [zeros, ones, Array(right.dropLast()), right + [0], [0], []]
        for index in right.indices {
            var bytes = right
            bytes[index] ^= 1
            wrong.append(bytes)
        }
        for bytes in wrong {
            expectMalformed { () throws(KeyError) in try VerifyingKey(bytes: bytes, kind: .p256) }
            guard bytes.count == 65 else { continue }
            let pem = KeyEncoding.verifyingP256.pem(of: bytes)
            expectMalformed { () throws(KeyError) in try VerifyingKey(pem: pem) }
        }
    }

    @Test("0, the order of the group and what is above it are no private keys")
    func notANumber() throws {
        let point = try #require(Hex.bytes(of: Self.point))
        for text in [
            "0000000000000000000000000000000000000000000000000000000000000000",
            "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
            "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        ] {
            let number = try #require(Hex.bytes(of: text))
            let pem = KeyEncoding.signingP256.pem(of: number, publicHalf: point)
            expectMalformed { () throws(KeyError) in try SigningKey(pem: pem) }
        }
    }

    @Test("A key of either kind is not taken for one that seals, and a public one does not sign")
    func wrongKind() {
        let signing = SigningKey.generate(.p256)
        for pem in [signing.pem, signing.verifyingKey.pem] {
            #expect(code { () throws(KeyError) in try SealingKey(pem: pem) } == .wrongKind)
            #expect(code { () throws(KeyError) in try UnsealingKey(pem: pem) } == .wrongKind)
        }
        let half = signing.verifyingKey.pem
        #expect(code { () throws(KeyError) in try SigningKey(pem: half) } == .notPrivate)
    }

    @Test("Files of either kind are read by what they are", arguments: SigningKind.allCases)
    func files(kind: SigningKind) throws {
        let directory = TemporaryDirectory()
        let (path, publicPath) = (directory.path / "release.pem", directory.path / "release.pub")
        let key = SigningKey.generate(kind)
        #expect(key.verifyingKey.kind == kind)
        try KeyFile.write(key, to: path, publicHalfTo: publicPath)
        #expect(try KeyFile.signingKey(at: path).verifyingKey == key.verifyingKey)
        #expect(try KeyFile.verifyingKey(at: path) == key.verifyingKey)
        #expect(try KeyFile.publicKey(at: publicPath) == key.verifyingKey)
    }

    private func code<Value>(_ body: () throws(KeyError) -> Value) -> KeyError.Code? {
        do throws(KeyError) {
            _ = try body()
            return nil
        } catch {
            return error.code
        }
    }

    private func expectMalformed<Value>(
        _ body: () throws(KeyError) -> Value,
        location: SourceLocation = #_sourceLocation
    ) {
        #expect(code(body) == .malformed, sourceLocation: location)
    }
}
