import CNATS
import Glibc

/// Signs what a server asks a client to sign, with the key of the client.
///
/// libnats does so itself for a file with a seed. But it takes a signature whose first byte is 0
/// for none, and sends none, so that the server refuses one connection in 256 of a user it knows
/// (measured with 3.4.1: 44 of 9,000). Here, such a signature is no refusal: another attempt gets
/// another text to sign.
enum Signing {
    /// A seed has 58 characters. A file may have spaces and the end of a line beside it.
    private static let fileByteCountMax = 128

    /// Called by libnats at every connection, on its own thread at a reconnection.
    static let handler: natsSignatureHandler = { error, signature, count, nonce, id in
        guard let signature, let count, let key = ConnectionCallbacks.signer(id) else {
            return NATS_ERR
        }
        if let cause = sign(nonce, with: key.seedFile, signature, count) {
            let problem = SeedProblem(key.seedFile, cause)
            error?.pointee = strdup("\(problem)")
            key.events.failedToSign(problem)
            return NATS_ERR
        }
        key.events.signed()
        if signature.pointee?.pointee == 0 {
            free(signature.pointee)
            signature.pointee = nil
            key.events.foundUnsendableSignature()
            error?.pointee = strdup("libnats can't send this signature; the next will do")
            return NATS_ERR
        }
        return NATS_OK
    }

    /// - Returns: why there is no signature; `nil` if there is one.
    private static func sign(
        _ nonce: UnsafePointer<CChar>?,
        with path: String,
        _ signature: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
        _ count: UnsafeMutablePointer<Int32>
    ) -> SeedProblem.Cause? {
        guard let file = fopen(path, "r") else { return .system(errno) }
        defer { fclose(file) }
        // No copy of the seed stays in a buffer of the C library.
        setvbuf(file, nil, _IONBF, 0)
        let capacity = fileByteCountMax + 1
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { text in
            text.initialize(repeating: 0)
            guard let base = text.baseAddress else { return .noSeed }
            defer { explicit_bzero(base, text.count) }
            let length = fread(base, 1, fileByteCountMax, file)
            if ferror(file) != 0 { return .system(errno) }
            guard let start = text.firstIndex(of: CChar(bitPattern: UInt8(ascii: "S"))) else {
                return .noSeed
            }
            // The seed ends at the first space or end of a line.
            let end = text[start...].firstIndex { $0 <= CChar(bitPattern: UInt8(ascii: " ")) }
            text[end ?? length] = 0
            let status = nats_Sign(base.advanced(by: start), nonce, signature, count)
            return status == NATS_OK ? nil : .noSeed
        }
    }
}
