import ArgumentParser
import BLEOTA

/// A SHA-256 in hexadecimal.
struct SHA256Argument {
    let bytes: [UInt8]

    init(_ text: String) throws {
        guard let bytes = HexText.bytes(text), bytes.count == 32 else {
            throw ValidationError("a SHA-256 must be 64 hexadecimal digits, not \(text)")
        }
        self.bytes = bytes
    }
}
