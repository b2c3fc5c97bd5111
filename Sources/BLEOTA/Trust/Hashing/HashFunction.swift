/// A hash function that takes its input in pieces.
///
/// ```swift
/// var hash = SHA256()
/// hash.update(firstHalf)
/// hash.update(secondHalf)
/// let digest = hash.digest
/// ```
protocol HashFunction {
    /// The length of a digest.
    static var byteCount: Int { get }

    /// A hash of no bytes.
    init()

    /// Appends bytes to the input.
    mutating func update(_ bytes: UnsafeRawBufferPointer)

    /// Calls `body` with the digest of the input so far. Allocates nothing.
    func withDigest<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result
}

extension HashFunction {
    /// The digest of the input so far.
    var digest: [UInt8] { withDigest { Array($0) } }

    /// The digest of `bytes`.
    static func digest(of bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBytes { withDigest(of: $0) { Array($0) } }
    }

    /// Calls `body` with the digest of `bytes`. Allocates nothing.
    static func withDigest<Result>(
        of bytes: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        var hash = Self()
        hash.update(bytes)
        return hash.withDigest(body)
    }
}

#if Signatures

import Crypto

typealias SHA256 = CryptoHash<Crypto.SHA256>
typealias SHA384 = CryptoHash<Crypto.SHA384>
typealias SHA512 = CryptoHash<Crypto.SHA512>

/// A hash function of swift-crypto, which uses the processor's instructions for SHA-2.
struct CryptoHash<Function: CryptoFunction>: HashFunction {
    static var byteCount: Int { Function.Digest.byteCount }

    private var hasher = Function()

    mutating func update(_ bytes: UnsafeRawBufferPointer) { hasher.update(bufferPointer: bytes) }

    func withDigest<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        Function.withBytes(of: hasher.finalize(), body)
    }

    /// The digest of the input so far, in swift-crypto's type.
    var finished: Function.Digest { hasher.finalize() }
}

/// Reads a digest in place. The interface that all digest types share for this purpose needs
/// Foundation.
protocol CryptoFunction: Crypto.HashFunction {
    static func withBytes<Result>(
        of digest: Digest,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result
}

extension Crypto.SHA256: CryptoFunction {
    static func withBytes<Result>(
        of digest: SHA256Digest,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result { digest.withUnsafeBytes(body) }
}

extension Crypto.SHA384: CryptoFunction {
    static func withBytes<Result>(
        of digest: SHA384Digest,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result { digest.withUnsafeBytes(body) }
}

extension Crypto.SHA512: CryptoFunction {
    static func withBytes<Result>(
        of digest: SHA512Digest,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result { digest.withUnsafeBytes(body) }
}

#else

typealias SHA256 = PortableHash<PortableSHA256>
typealias SHA384 = PortableHash<PortableSHA384>
typealias SHA512 = PortableHash<PortableSHA512>

#endif
