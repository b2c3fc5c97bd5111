import FleetStore
import FleetTestSupport
import NATS
import Testing

@Suite(
    "The options for the servers",
    .enabled(if: TestServer.isThere, "\(TestServer.isMissing)")
)
struct ServerOptionTests {
    /// The public half of the key of the bytes 0 to 31.
    private static let key = "UAB2CB576PHBBPQ5ODORRZ2LYCMWPZGWGCN2KDK7DXOIMZASKUY3RLKK"

    /// Runs a command that asks a server for something.
    private func run(
        _ words: [String],
        _ server: TestServer,
        at address: String? = nil,
        variables: [String] = []
    ) async throws -> (code: Int32, text: String) {
        let output = server.folder.path("output-\(UInt32.random(in: 0 ... .max))")
        let process = try ChildProcess(
            [Tool.path, "gateways", "--server", address ?? server.address.description] + words,
            output: output,
            variables: Patience.variables + variables
        )
        let code = try await process.end()
        return (code, String(decoding: TestFolder.read(output) ?? [], as: UTF8.self))
    }

    /// It was said to have no PEM.
    @Test("A file with certificates or a key that isn't there is named")
    func missingFile() async throws {
        let server = try await TestServer()
        let authority = try TestAuthority(in: server.folder, name: "ours", host: "localhost")
        let none = server.folder.path("none.pem")
        let good = ["--tls-ca", authority.certificate]
        let certificate = ["--tls-cert", authority.serverCertificate]
        let sentence = """
            bleota-fleet: \(none) can't be read: No such file or directory; check the paths of \
            --tls-ca (or BLEOTA_FLEET_TLS_CA), --tls-cert and --tls-key.

            """
        for words in [
            ["--tls-ca", none],
            good + certificate + ["--tls-key", none],
            good + ["--tls-cert", none, "--tls-key", authority.serverKey],
        ] {
            let answer = try await run(words, server)
            #expect(answer.text == sentence)
            #expect(answer.code == 74)
        }
        let answer = try await run([], server, variables: ["BLEOTA_FLEET_TLS_CA=\(none)"])
        #expect(answer.text == sentence)
        let text = try server.folder.write("no PEM", to: "text.pem")
        #expect(try await run(["--tls-ca", text], server).text.contains("in PEM"))
    }

    /// It was said that no server runs there.
    @Test("A host without an address is named")
    func unknownHost() async throws {
        let server = try await TestServer()
        let answer = try await run([], server, at: "nats.invalid:4222")
        #expect(answer.text.contains(": nats.invalid has no address ("))
        #expect(answer.code == 69)
        let closed = try await run([], server, at: "localhost:1")
        #expect(closed.text.contains("not connected at present"))
    }

    /// Both were said to have no PEM.
    @Test("An error says that a certificate and a key don't belong together")
    func noPair() async throws {
        let server = try await TestServer()
        let ours = try TestAuthority(in: server.folder, name: "ours", host: "localhost")
        let theirs = try TestAuthority(in: server.folder, name: "theirs", host: "localhost")
        let answer = try await run(
            [
                "--tls-ca", ours.certificate, "--tls-cert", ours.serverCertificate,
                "--tls-key", theirs.serverKey,
            ],
            server
        )
        #expect(
            answer.text.hasSuffix(
                "the key in \(theirs.serverKey) is not that of the certificate in "
                    + "\(ours.serverCertificate).\n"
            ),
            "\(answer.text)"
        )
        #expect(answer.code == 64)
    }

    /// No certificate was shown, and the server was said to hang up.
    @Test("A key of another kind than the certificate's is refused, and one of any kind works")
    func otherKind() async throws {
        let server = try await TestServer()
        let ours = try TestAuthority(in: server.folder, name: "ours", host: "localhost")
        func make(_ name: String, _ words: [String]) throws -> (certificate: String, key: String) {
            let files = (server.folder.path("\(name).pem"), server.folder.path("\(name)-key.pem"))
            let request = ["openssl", "req", "-x509", "-days", "2", "-nodes", "-subj", "/CN=x"]
            let output = ["-out", files.0, "-keyout", files.1]
            _ = try ChildProcess.output(of: request + words + output, in: server.folder)
            return files
        }
        let pairs: [(certificate: String, key: String)] = [
            try make("rsa", ["-newkey", "rsa:2048"]), try make("edwards", ["-newkey", "ed25519"]),
            (ours.serverCertificate, ours.serverKey),
        ]
        for (index, pair) in pairs.enumerated() {
            for (other, key) in pairs.map(\.key).enumerated() {
                let words = ["--tls-cert", pair.certificate, "--tls-key", key]
                let answer = try await run(["--tls-ca", ours.certificate] + words, server)
                let sentence = "the key in \(key) is not that of the certificate in "
                #expect(answer.text.contains(sentence) == (index != other), "\(answer.text)")
                #expect((answer.code == 64) == (index != other))
            }
        }
    }

    /// The servers were said to refuse the credentials, of which there were none.
    @Test("Whoever gives no seed to servers that ask for one is told the option")
    func noSeed() async throws {
        let server = try await TestServer("authorization { users: [ { nkey: \(Self.key) } ] }")
        let answer = try await run([], server)
        #expect(
            answer.text == """
                bleota-fleet: connecting to \(server.address): the servers ask for a key, and no \
                seed was given; give operator.seed with --seed, or with BLEOTA_FLEET_SEED.

                """
        )
        #expect(answer.code == 77)
    }

    @Test("A public key that is given as a seed is named, and so is the file of its seed")
    func publicKey() async throws {
        let server = try await TestServer()
        let folder = server.folder.path("fleet")
        let words = [
            Tool.path, "init", "configuration", folder, "--plain", "--servers", "localhost",
        ]
        _ = try ChildProcess.output(of: words, in: server.folder)
        let file = "\(folder)/users/operator.key"
        let answer = try await run(["--seed", file], server)
        #expect(
            answer.text == """
                bleota-fleet: \(file) is a public key, which signs nothing; give \
                \(folder)/seeds/operator.seed, the seed that was made with it.

                """
        )
        #expect(answer.code == 65)
        let copy = try server.folder.write(Self.key + "\n", to: "hall-1.key")
        let moved = try await run(["--seed", copy], server)
        #expect(moved.text.contains("give hall-1.seed, the seed that was made with it"))
        #expect(moved.code == 65)
    }

    @Test("Whoever gives several servers at once is told to repeat the option")
    func commas() async throws {
        let server = try await TestServer()
        let answer = try await run([], server, at: "localhost:4222,localhost:4223")
        #expect(answer.text.contains("--server takes one server: repeat it for each"))
        #expect(answer.code == 64)
    }

    @Test("An address of IPv6 works without TLS, and is refused with TLS or without its brackets")
    func addressOfIPv6() async throws {
        let server = try await TestServer(host: "::1")
        let address = ServerAddress("[::1]:\(server.portNumber)")!
        _ = try await FleetStore.create(
            on: try await NATSConnection.open(ConnectionOptions(toTest: [address])),
            replicas: .one
        )
        let text = "[::1]:\(server.portNumber)"
        #expect(try await run([], server, at: text).code == 0)
        let bare = try await run([], server, at: "::1")
        #expect(bare.code == 64)
        #expect(
            bare.text.contains(
                "a server is HOST or HOST:PORT, such as nats.example:4222 or 192.0.2.7, not '::1'"
            )
        )
        let secured = try await run(["--tls-ca", "ca.pem"], server, at: text)
        #expect(secured.code == 64)
        #expect(
            secured.text == """
                bleota-fleet: \(address) can't be compared with a certificate, which is done for \
                names and IPv4 addresses alone: name the server as its certificate does.

                """
        )
    }

    /// The first said that empty is not a key, and the second named no option.
    @Test("A seed that is none, or isn't there, is named as a file, with the option")
    func noKey() async throws {
        let server = try await TestServer()
        let empty = try server.folder.write("", to: "empty")
        let answer = try await run(["--seed", empty], server)
        #expect(
            answer.text == """
                bleota-fleet: the file \(empty) has no key of a user, which is one line as \
                bleota-fleet init configuration writes it.

                """
        )
        #expect(answer.code == 65)
        let none = server.folder.path("none.seed")
        let missing = try await run(["--seed", none], server)
        #expect(
            missing.text == """
                bleota-fleet: the seed \(none) can't be read: No such file or directory; check \
                --seed (or BLEOTA_FLEET_SEED).

                """
        )
        #expect(missing.code == 74)
    }

    @Test("The text of a key instead of a file is refused, and not printed")
    func keyText() async throws {
        let server = try await TestServer()
        let seed = "SUAAAAICAMCAKBQHBAEQUCYMBUHA6EARCIJRIFIWC4MBSGQ3DQOR4H776Y"
        for text in [Self.key, seed] {
            let answer = try await run(["--seed", text], server)
            #expect(
                answer.text == """
                    bleota-fleet: --seed (or BLEOTA_FLEET_SEED) takes the name of a file, such as \
                    operator.seed, and not the text of a key.

                    """
            )
            #expect(answer.code == 64)
        }
    }
}
