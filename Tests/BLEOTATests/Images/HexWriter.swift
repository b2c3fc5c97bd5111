/// Writes Intel HEX for the tests, in any order and with any mistake they want.
enum HexWriter {
    static let end = record(type: 1, address: 0, [])

    static func record(type: UInt8, address: UInt16, _ data: [UInt8]) -> String {
        let body = [UInt8(data.count), UInt8(address >> 8), UInt8(address & 0xFF), type] + data
        let sum = body.reduce(UInt8(0)) { $0 &+ $1 }
        return ":"
            + (body + [0 &- sum]).map { byte in
                let digits = String(byte, radix: 16, uppercase: true)
                return byte < 16 ? "0" + digits : digits
            }.joined()
    }

    static func data(at address: UInt16, _ data: [UInt8]) -> String {
        record(type: 0, address: address, data)
    }

    static func linearBase(_ value: UInt16) -> String {
        record(type: 4, address: 0, [UInt8(value >> 8), UInt8(value & 0xFF)])
    }

    static func segmentBase(_ value: UInt16) -> String {
        record(type: 2, address: 0, [UInt8(value >> 8), UInt8(value & 0xFF)])
    }

    /// Lines, each ended, as text in bytes.
    static func text(_ lines: [String], lineEnd: String = "\n") -> [UInt8] {
        Array(lines.map { $0 + lineEnd }.joined().utf8)
    }

    /// A file with an end record.
    static func file(_ lines: String...) -> [UInt8] { text(lines + [end]) }
}
