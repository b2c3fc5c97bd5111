import BLEOTATestSupport
import Glibc
import SystemPackage
import Testing

@testable import BLEOTA

/// Keys in memory and in files.
@Suite("Keys")
struct KeyTests {
    /// Of RFC 8410, sections 10.1 and 10.3.
    private static let privatePEM = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
        -----END PRIVATE KEY-----
        """
    private static let publicPEM = """
        -----BEGIN PUBLIC KEY-----
        MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=
        -----END PUBLIC KEY-----

        """

    @Test("Keys that others made are read, and written as they write them")
    func interchange() throws {
        let key = try SigningKey(pem: Self.privatePEM)
        #expect(key.pem == Self.privatePEM + "\n")
        #expect(key.verifyingKey.pem == Self.publicPEM)
        #expect(try VerifyingKey(pem: Self.publicPEM) == key.verifyingKey)
        #expect(try VerifyingKey(pem: Self.privatePEM) == key.verifyingKey)
    }

    @Test("Keys of small order are refused in all their encodings, since anybody can sign for them")
    func smallOrder() throws {
        // The y of the eight points (made with a few lines of Python from the curve's equation),
        // and the same with the prime added where that fits 255 bits; each with both signs of x.
        let encodings = [
            "0000000000000000000000000000000000000000000000000000000000000000",
            "0100000000000000000000000000000000000000000000000000000000000000",
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        ]
        for text in encodings {
            for sign in [0, 0x80] as [UInt8] {
                var bytes = try #require(Hex.bytes(of: text))
                bytes[31] |= sign
                #expect(throws: KeyError.self, "\(text)") {
                    try VerifyingKey(bytes: bytes, kind: .ed25519)
                }
                let pem = KeyEncoding.verifying.pem(of: bytes)
                #expect(throws: KeyError.self, "\(text)") { try VerifyingKey(pem: pem) }
            }
        }
        // The largest y that there is, below the prime, is no such point.
        var large = try #require(Hex.bytes(of: encodings[4]))
        large[0] = 0xEB
        #expect(throws: Never.self) { try VerifyingKey(bytes: large, kind: .ed25519) }
    }

    @Test(
        "What is no key says so",
        arguments: [
            "", "x", "-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----\n",
            // Of Ed448, of a certificate, cut, and with a wrong prefix.
            "-----BEGIN CERTIFICATE-----\nMC4CAQAwBQYDK2VwBCIEIA==\n-----END CERTIFICATE-----\n",
            "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7\n"
                + "-----END PUBLIC KEY-----\n",
            "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VvAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqow"
                + "trbLDFw4rXAxZuE=\n"
                + "-----END PUBLIC KEY-----\n",
        ]
    )
    func malformed(pem: String) {
        #expect(code { () throws(KeyError) in try VerifyingKey(pem: pem) } == .malformed)
        #expect(code { () throws(KeyError) in try SigningKey(pem: pem) } == .malformed)
    }

    @Test("A key of one kind is not taken for one of another, and the sentence says what it is")
    func wrongKind() {
        let sealing = UnsealingKey.generate()
        let signing = SigningKey.generate()
        #expect(code { () throws(KeyError) in try SigningKey(pem: sealing.pem) } == .wrongKind)
        #expect(code { () throws(KeyError) in try VerifyingKey(pem: sealing.pem) } == .wrongKind)
        #expect(code { () throws(KeyError) in try UnsealingKey(pem: signing.pem) } == .wrongKind)
        #expect(code { () throws(KeyError) in try SealingKey(pem: signing.pem) } == .wrongKind)
        let half = sealing.sealingKey.pem
        #expect(code { () throws(KeyError) in try UnsealingKey(pem: half) } == .notPrivate)
        do throws(KeyError) {
            _ = try SigningKey(pem: sealing.pem)
        } catch {
            #expect(
                "\(error)"
                    == "This is a private sealing key, but a private signing key is needed; "
                    + "choose the file that contains it."
            )
        }
    }

    @Test("A sealing key in PEM is the same key again, and its public half that of the private one")
    func sealingRoundTrip() throws {
        let key = UnsealingKey.generate()
        #expect(try UnsealingKey(pem: key.pem).sealingKey == key.sealingKey)
        #expect(try SealingKey(pem: key.sealingKey.pem) == key.sealingKey)
        #expect(try SealingKey(pem: key.pem) == key.sealingKey)
    }

    @Test("A public key does not sign")
    func notPrivate() {
        #expect(code { () throws(KeyError) in try SigningKey(pem: Self.publicPEM) } == .notPrivate)
    }

    @Test("Two new keys are two, and each knows its own signatures")
    func generated() throws {
        let (one, other) = (SigningKey.generate(), SigningKey.generate())
        #expect(one.verifyingKey != other.verifyingKey)
        let manifest = SignedImage(signedBy: [one]).manifest
        #expect(manifest.isSigned(by: one.verifyingKey))
        #expect(!manifest.isSigned(by: other.verifyingKey))
        #expect(one.verifyingKey.id.hex.count == 16)
    }

    @Test("The file of a private key is its owner's alone, and is never written over")
    func files() throws {
        let directory = TemporaryDirectory()
        let (path, publicPath) = (directory.path / "release.pem", directory.path / "release.pub")
        let key = SigningKey.generate()
        try KeyFile.write(key, to: path, publicHalfTo: publicPath)
        #expect(try path.stat().permissions == .ownerReadWrite)
        #expect(try KeyFile.signingKey(at: path).verifyingKey == key.verifyingKey)
        #expect(try KeyFile.verifyingKey(at: path) == key.verifyingKey)
        #expect(try KeyFile.verifyingKey(at: publicPath) == key.verifyingKey)
        let code = self.code { () throws(KeyError) in try KeyFile.signingKey(at: publicPath) }
        #expect(code == .notPrivate)
        let again = self.code { () throws(KeyError) in
            try KeyFile.write(key, to: path, publicHalfTo: directory.path / "other.pub")
        }
        #expect(again == .exists)
        #expect(try KeyFile.signingKey(at: path).verifyingKey == key.verifyingKey)
    }

    @Test("So is that of a key for which images are sealed")
    func sealingFiles() throws {
        let directory = TemporaryDirectory()
        let (path, publicPath) = (directory.path / "lamps.pem", directory.path / "lamps.pub")
        let key = UnsealingKey.generate()
        try KeyFile.write(key, to: path, publicHalfTo: publicPath)
        #expect(try path.stat().permissions == .ownerReadWrite)
        #expect(try KeyFile.unsealingKey(at: path).sealingKey == key.sealingKey)
        #expect(try KeyFile.sealingKey(at: path) == key.sealingKey)
        #expect(try KeyFile.sealingKey(at: publicPath) == key.sealingKey)
    }

    /// The private half stayed behind, and the next attempt failed because it was there.
    @Test("Where the public half can't be written, there is no private one either")
    func halfAPair() throws {
        let directory = TemporaryDirectory()
        let path = directory.path / "release.pem"
        let publicPath = directory.path / "none" / "release.pub"
        let error = error { () throws(KeyError) in
            try KeyFile.write(.generate() as SigningKey, to: path, publicHalfTo: publicPath)
        }
        guard case .io = error?.code else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(throws: Errno.noSuchFileOrDirectory) { try path.stat() }
    }

    @Test(
        "A private key that others can get at is refused",
        arguments: [0o640, 0o604, 0o620, 0o666]
    )
    func exposed(mode: CInterop.Mode) throws {
        let directory = TemporaryDirectory()
        let (signing, sealing) = (directory.path / "release.pem", directory.path / "lamps.pem")
        let publicPath = directory.path / "some.pub"
        try KeyFile.write(SigningKey.generate(), to: signing, publicHalfTo: publicPath)
        let otherPath = directory.path / "other.pub"
        try KeyFile.write(UnsealingKey.generate(), to: sealing, publicHalfTo: otherPath)
        for path in [signing, sealing] { #expect(chmod(path.string, mode) == 0) }
        let error = error { () throws(KeyError) in try KeyFile.signingKey(at: signing) }
        #expect(error?.code == .exposed)
        #expect(error?.description.contains("chmod 600") == true)
        let code = code { () throws(KeyError) in try KeyFile.unsealingKey(at: sealing) }
        #expect(code == .exposed)
    }

    @Test("A file that is not there, and one that is a directory, are named")
    func missing() throws {
        let directory = TemporaryDirectory()
        for path in [directory.path / "none.pem", directory.path] {
            let error = error { () throws(KeyError) in try KeyFile.verifyingKey(at: path) }
            guard case .io = error?.code else {
                Issue.record("\(path): \(String(describing: error))")
                continue
            }
            #expect(error?.description.contains(path.string) == true)
        }
    }

    private func code<Value>(_ body: () throws(KeyError) -> Value) -> KeyError.Code? {
        error(body)?.code
    }

    private func error<Value>(_ body: () throws(KeyError) -> Value) -> KeyError? {
        do throws(KeyError) {
            _ = try body()
            return nil
        } catch {
            return error
        }
    }
}
