import BLEOTAManifest
import BLEOTATestSupport
import BLEOTAWire
import Testing

/// spec/registry.md and the code assign the same numbers.
@Suite("Registry")
struct RegistryTests {
    @Test("The versions are those that the code speaks")
    func versions() throws {
        let spoken = ProtocolVersion.lowest...ProtocolVersion.highest
        #expect(try rows("Protocol versions").map(\.[0]) == spoken.map(String.init))
        #expect(spoken.upperBound == ProtocolVersion.current)
    }

    @Test("The opcodes have the numbers and directions of the code, and all others are none")
    func opcodes() throws {
        let names: [String: ControlOpcode] = [
            "OPEN": .open, "POLL": .poll, "CLOSE": .close, "QUERY": .query, "REQUEST": .request,
            "ACK": .acknowledgement, "BUSY": .busy, "RESULT": .result, "ECHO REPLY": .echoReply,
            "STATUS": .status, "CHALLENGE": .challenge, "PROOF": .proof,
        ]
        let registry = try rows("Opcodes")
        for row in registry {
            let opcode = names[row[1]]
            #expect(row[0] == opcode.map { "\($0.rawValue)" }, "\(row[1])")
            #expect(row[2] == opcode.map { $0.isFromReceiver ? "receiver" : "sender" }, "\(row[1])")
        }
        let numbers = (UInt8.min...UInt8.max).filter { ControlOpcode(rawValue: $0) != nil }
        #expect(registry.map(\.[0]) == numbers.map(String.init))
    }

    @Test("The table of opcodes is the one in the specification")
    func opcodesInSpecification() throws {
        let table = try table("Control frames", in: "spec/bleota.md")
        #expect(table.rows.map { Array($0.prefix(3)) } == (try rows("Opcodes")))
    }

    @Test("The objects have the numbers of the code")
    func objects() throws {
        let objects: [String: ObjectID] = ["manifest": .manifest, "image": .image, "echo": .echo]
        let registry = try rows("Objects")
        #expect(registry.count == objects.count)
        for row in registry {
            #expect(row[0] == objects[row[1]].map { "\($0.rawValue)" }, "\(row[1])")
        }
    }

    @Test("The phases of BUSY have the numbers and names of the code")
    func phases() throws {
        let phases = (UInt8.min...UInt8.max).compactMap(BusyPhase.init)
        let expected = phases.map { ["\($0.rawValue)", "\($0)"] }
        #expect(try rows("Phases of BUSY").map { Array($0.prefix(2)) } == expected)
    }

    @Test("The states of STATUS have the numbers and names of the code")
    func states() throws {
        let states = (UInt8.min...UInt8.max).compactMap(RunningState.init)
        let expected = states.map { ["\($0.rawValue)", "\($0)"] }
        #expect(try rows("States of STATUS").map { Array($0.prefix(2)) } == expected)
    }

    /// Reads the source, because a type does not tell the names of its static members.
    @Test("The reasons have the numbers, names and meanings of the code")
    func reasons() throws {
        let source = try Repository.text(of: "Sources/BLEOTAWire/Fields/Reason.swift")
        let declaration =
            #/ +/// (.+)\n +public static var (\w+): Reason { Reason\(rawValue: (0x\w{4})\) }/#
        let declared = source.matches(of: declaration).map { match in
            [String(match.3), String(match.2), String(match.1)]
        }
        let registry = try rows("Reasons").map { row in
            [row[0], row[1], row[4].prefix(1).uppercased() + row[4].dropFirst() + "."]
        }
        #expect(declared == registry)
        #expect(source.matches(of: #/static var/#).count == registry.count)
        #expect(Reason.cancelled.rawValue == 0x0701)
    }

    @Test("Every reason comes from an end that exists")
    func reasonsFrom() throws {
        for row in try rows("Reasons") {
            #expect(["sender", "receiver", "both"].contains(row[2]), "\(row[1])")
        }
    }

    @Test("The manifest attributes have the types and lengths of the code, and no other is known")
    func manifestAttributes() throws {
        let types: [String: ManifestAttributeType] = [
            "name": .name, "version": .version, "loadAddress": .loadAddress,
            "sketch": .sketch, "hardware": .hardware, "component": .component, "counter": .counter,
            "expiry": .expiry, "encoding": .encoding, "base": .base, "seal": .seal,
        ]
        let registry = try rows("Manifest attributes")
        let known = (UInt8.min...UInt8.max).filter { ManifestAttributeType(rawValue: $0).isKnown }
        #expect(registry.map(\.[0]) == known.map(hex))
        for row in registry {
            let type = try #require(types[row[1]], "\(row[1])")
            #expect(row[0] == hex(type.rawValue))
            let lengths = type.valueByteCounts
            let possible = lengths.filter { type.canHaveValue(byteCount: $0) }
            if lengths.lowerBound >= 32 {
                let numbers = row[2].matches(of: #/\d+(?=(?:, \d+)*(?: or \d+)? bytes)/#)
                #expect(numbers.compactMap { Int($0.output) } == possible, "\(row[1])")
            } else if type == .sketch {
                let lengths = "\(lengths.lowerBound) to \(lengths.upperBound) bytes"
                #expect(row[2].hasPrefix("\(lengths), a multiple of \(possible[1] - possible[0])"))
            } else if lengths.count == 1 {
                #expect(row[2].hasPrefix("u\(lengths.lowerBound * 8),"), "\(row[1])")
            } else {
                let start = try #require(type.textOffset, "\(row[1])")
                let (shortest, longest) = (lengths.lowerBound - start, lengths.upperBound - start)
                let phrase = "UTF-8, \(shortest) to \(longest) bytes"
                #expect(row[2].contains(phrase), "\(row[1])")
            }
        }

        func hex(_ number: UInt8) -> String {
            "0x" + (number < 16 ? "0" : "") + String(number, radix: 16)
        }
    }

    @Test("The signature algorithms have the numbers and lengths of the code")
    func signatureAlgorithms() throws {
        let expected = (UInt8.min...UInt8.max).map(SignatureAlgorithm.init).filter {
            $0.valueByteCount != nil
        }
        let registry = try rows("Signature algorithms")
        #expect(registry.map(\.[0]) == expected.map { "\($0.rawValue)" })
        #expect(registry.map(\.[3]) == expected.map { "\($0.valueByteCount ?? 0) bytes" })
        #expect(registry.map(\.[2]) == expected.map { "\($0.publicKeyByteCount ?? 0) bytes" })
    }

    @Test("The compressions have the numbers of the code, and no other is known")
    func compressions() throws {
        let names: [String: Compression] = ["none": .none, "zlib": .zlib, "patch": .patch]
        let registry = try rows("Compressions")
        #expect(registry.map(\.[0]) == registry.map { "\(names[$0[1]]?.rawValue ?? 255)" })
        let known = (UInt8.min...127).map(Compression.init).filter(\.isKnown)
        #expect(registry.map(\.[0]) == known.map { "\($0.rawValue)" })
    }

    @Test("The UUIDs are those in the code")
    func uuids() throws {
        let pattern = #/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/#.ignoresCase()
        let registry = try rows("UUIDs").map { $0[1] }
        #expect(registry.allSatisfy { $0.wholeMatch(of: pattern) != nil })
        #expect(Set(registry).count == registry.count)

        var inCode: Set<String> = []
        for path in Repository.files(below: "Sources", ending: ".swift") {
            for match in try Repository.text(of: path).matches(of: pattern) {
                inCode.insert(match.output.lowercased())
            }
        }
        let missing = Set(registry).subtracting(inCode)
        #expect(missing.isEmpty, "no source has \(missing.sorted())")
        // BlueZ and Bluetooth have UUIDs of their own; those of bleota share all but four digits.
        let ours = inCode.filter { $0.hasSuffix("-5c1e-4f0b-9b6a-e2c49d0f2d11") }
        #expect(ours.isSubset(of: registry))
    }

    private func rows(_ heading: String) throws -> [[String]] {
        try table(heading, in: "spec/registry.md").rows
    }

    private func table(_ heading: String, in path: String) throws -> MarkdownTable {
        let document = try Repository.text(of: path)
        return try #require(
            MarkdownTable(below: heading, in: document),
            "\(path) has no table below \(heading)"
        )
    }
}
