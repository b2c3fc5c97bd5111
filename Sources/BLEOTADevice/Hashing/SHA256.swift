/// SHA-256 (FIPS 180-4) with low memory use, for devices that have no other implementation.
///
/// ```swift
/// var hash = SHA256()
/// hash.update(bytes[0..<4_096])
/// hash.update(bytes[4_096..<5_000])
/// let digest = hash.finish()
/// ```
///
/// Cost: about 300 bytes of stack, and tables of 288 bytes.
public struct SHA256: BitwiseCopyable {
    /// The length of a digest in bytes.
    public static var byteCount: Int { 32 }

    /// The state is set when the first byte is added. The initial value is all-zero, and so takes
    /// no code.
    private var state = InlineArray<8, UInt32>(repeating: 0)
    /// The current block, partly filled; during compression, its message schedule.
    private var schedule = InlineArray<16, UInt32>(repeating: 0)
    private var byteCount: UInt32 = 0

    /// Creates a hasher to which no bytes have been added.
    public init() {}

    /// Resets the hash, as if no bytes had been added. This takes less code than a new hash,
    /// because no other property must be set.
    mutating func restart() { byteCount = 0 }

    /// Returns the digest of `bytes`, which must be less than 512 MiB.
    @inline(never)
    public static func digest(of bytes: UnsafeRawBufferPointer) -> Digest {
        var hash = SHA256()
        hash.update(bytes)
        return hash.finish()
    }

    /// Adds bytes to the hash.
    @inline(never)
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        for byte in bytes { append(byte) }
    }

    /// Returns the digest of all bytes, which must be less than 512 MiB in total. No bytes can
    /// be added afterward.
    public mutating func finish() -> Digest {
        end()
        return digest
    }

    /// The digest after ``end()``.
    var digest: Digest { Digest(words: state) }

    /// Appends the padding of FIPS 180-4: a one bit, zeros, and the length in bits.
    @inline(never)
    mutating func end() {
        let bitCount = byteCount &<< 3
        var byte: UInt8 = 0x80
        repeat {
            withUnsafeBytes(of: &byte) { bytes in update(bytes) }
            byte = 0
        } while byteCount & 63 != 56
        // The length field has 64 bits, of which the lower 32 are enough here.
        schedule[14] = 0
        schedule[15] = bitCount
        compress()
        withUnsafeMutableBytes(of: &state) { bytes in swapBytes(of: bytes) }
    }

    private mutating func append(_ byte: UInt8) {
        if byteCount == 0 { state = initialState }
        let index = Int(truncatingIfNeeded: byteCount &>> 2 & 15)
        schedule[index] = schedule[index] &<< 8 | UInt32(byte)
        byteCount &+= 1
        if byteCount & 63 == 0 { compress() }
    }

    /// Processes one block.
    @inline(never)
    private mutating func compress() {
        var mixed = state
        for round in 0..<64 {
            mixed.mix(schedule[round & 15] &+ roundConstants[round])
            schedule.extend(from: round)
        }
        withUnsafeMutableBytes(of: &state) { state in
            withUnsafeBytes(of: mixed) { mixed in add(mixed, to: state) }
        }
    }
}

// The following functions are not inlined: with a known count, the compiler would unroll their
// loops.

/// Adds the words in `other` to those in `words`.
@inline(never)
private func add(
    _ other: UnsafeRawBufferPointer,
    to words: UnsafeMutableRawBufferPointer
) {
    let words = words.assumingMemoryBound(to: UInt32.self)
    let other = other.assumingMemoryBound(to: UInt32.self)
    for index in words.indices { words[index] &+= other[index] }
}

/// Converts words from native byte order to that of a digest (big-endian).
@inline(never)
private func swapBytes(of words: UnsafeMutableRawBufferPointer) {
    let words = words.assumingMemoryBound(to: UInt32.self)
    for index in words.indices { words[index] = words[index].bigEndian }
}

extension InlineArray<16, UInt32> {
    /// Replaces the schedule word of this round with the one for 16 rounds later.
    @inline(__always)
    fileprivate mutating func extend(from round: Int) {
        let early = self[(round + 1) & 15]
        let late = self[(round + 14) & 15]
        let first = early.rotated(7) ^ early.rotated(18) ^ (early >> 3)
        let second = late.rotated(17) ^ late.rotated(19) ^ (late >> 10)
        self[round & 15] = self[round & 15] &+ first &+ self[(round + 9) & 15] &+ second
    }
}

extension InlineArray<8, UInt32> {
    /// Performs one round, with the sum of a schedule word and a constant.
    @inline(__always)
    fileprivate mutating func mix(_ word: UInt32) {
        let (a, b, c, e) = (self[0], self[1], self[2], self[4])
        let choice = self[6] ^ (e & (self[5] ^ self[6]))
        let majority = (a & b) | (c & (a | b))
        let first =
            self[7] &+ (e.rotated(6) ^ e.rotated(11) ^ e.rotated(25)) &+ choice &+ word
        let second = (a.rotated(2) ^ a.rotated(13) ^ a.rotated(22)) &+ majority
        self = [first &+ second, a, b, c, self[3] &+ first, e, self[5], self[6]]
    }
}

extension UInt32 {
    @inline(__always)
    fileprivate func rotated(_ count: UInt32) -> UInt32 { self &>> count | self &<< (32 - count) }
}

/// The first 32 bits of the fractional parts of the square roots of the first 8 primes.
private let initialState: InlineArray<8, UInt32> = [
    0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A,
    0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19,
]

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
private let roundConstants: InlineArray<64, UInt32> = [
    0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5,
    0x3956_C25B, 0x59F1_11F1, 0x923F_82A4, 0xAB1C_5ED5,
    0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3,
    0x72BE_5D74, 0x80DE_B1FE, 0x9BDC_06A7, 0xC19B_F174,
    0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC,
    0x2DE9_2C6F, 0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA,
    0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7,
    0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967,
    0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC, 0x5338_0D13,
    0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85,
    0xA2BF_E8A1, 0xA81A_664B, 0xC24B_8B70, 0xC76C_51A3,
    0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070,
    0x19A4_C116, 0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5,
    0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
    0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208,
    0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7, 0xC671_78F2,
]
