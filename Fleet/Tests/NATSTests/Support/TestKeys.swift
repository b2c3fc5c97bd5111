import FleetTestSupport
import Foundation
import NATS

/// A user's key pair, made by openssl and encoded here, so that the encoding in the package is
/// compared with another.
struct TestKeys {
    let key: NKey
    let seedFile: String

    init(in folder: TestFolder, name: String) throws {
        let pem = folder.path("\(name).pem")
        let openssl = { (words: [String]) in
            _ = try ChildProcess.output(of: ["openssl"] + words, in: folder)
        }
        try openssl(["genpkey", "-algorithm", "ed25519", "-out", pem])
        try openssl(["pkey", "-in", pem, "-outform", "DER", "-out", pem + ".private"])
        try openssl(["pkey", "-in", pem, "-pubout", "-outform", "DER", "-out", pem + ".public"])
        // Both end with the 32 bytes of the key.
        let seed = (TestFolder.read(pem + ".private") ?? []).suffix(32)
        let point = (TestFolder.read(pem + ".public") ?? []).suffix(32)
        // A seed, S, of a user, U, in base32: 18 and 20, of 5 bits each, in the topmost bits.
        let user: UInt8 = 20 << 3
        let seedText = Self.encoded([18 << 3 | user >> 5, (user & 31) << 3] + seed)
        key = NKey(Self.encoded([user] + point))!
        seedFile = try folder.write(seedText + "\n", to: "\(name).seed")
    }

    private static func encoded(_ bytes: [UInt8]) -> String {
        var sum: UInt16 = 0
        for byte in bytes {
            sum ^= UInt16(byte) << 8
            for _ in 0..<8 { sum = sum & 0x8000 == 0 ? sum << 1 : sum << 1 ^ 0x1021 }
        }
        let all = bytes + [UInt8(sum & 0xFF), UInt8(sum >> 8)]
        let bits = all.map { byte in
            let digits = String(byte, radix: 2)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }.joined()
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        var text = ""
        var rest = bits[...]
        while !rest.isEmpty {
            let digits = rest.prefix(5)
            rest = rest.dropFirst(5)
            let padding = String(repeating: "0", count: 5 - digits.count)
            text.append(alphabet[Int(digits + padding, radix: 2)!])
        }
        return text
    }
}
