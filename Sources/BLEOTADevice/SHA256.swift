/// SHA-256 (FIPS 180-4) in little memory, for devices that have no other.
///
/// ```swift
/// var hash = SHA256()
/// hash.update(bytes[0..<4_096])
/// let digest = hash.finish(with: bytes[4_096..<5_000])
/// ```
///
/// Cost: some 250 bytes of stack, a table of 256 bytes.
public struct SHA256: BitwiseCopyable {
    /// The length of a digest.
    public static var byteCount: Int { 32 }

    private static var blockByteCount: Int { 64 }

    private var state: InlineArray<8, UInt32>
    private var byteCount: UInt32 = 0

    /// A hash of nothing yet.
    @inline(never)
    public init() {
        state = [
            0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A,
            0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19,
        ]
    }

    /// The digest of `bytes`; less than 4 GiB.
    @inline(never)
    public static func digest(of bytes: UnsafeRawBufferPointer) -> Digest {
        var hash = SHA256()
        return hash.finish(with: bytes)
    }

    /// Goes on with bytes.
    ///
    /// - Parameter bytes: a multiple of 64, so that nothing has to be kept of them.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        let rest = compressBlocks(of: bytes)
        precondition(rest.isEmpty)
    }

    /// The digest of everything before and of `bytes`; less than 4 GiB in all.
    public mutating func finish(with bytes: UnsafeRawBufferPointer) -> Digest {
        let rest = compressBlocks(of: bytes)
        var last = InlineArray<16, UInt32>(repeating: 0)
        withUnsafeMutableBytes(of: &last) { last in
            last.copyMemory(from: rest)
            last[rest.count] = 0x80
        }
        // The length takes 8 bytes, and a block of its own where they find no room.
        if rest.count >= 56 {
            compress(&last)
            last = InlineArray(repeating: 0)
        }
        last[14] = (byteCount >> 29).bigEndian
        last[15] = (byteCount << 3).bigEndian
        compress(&last)
        state.swapBytes()
        return Digest(words: state)
    }

    /// Goes on with what is whole blocks.
    ///
    /// - Returns: the bytes after them.
    private mutating func compressBlocks(
        of bytes: UnsafeRawBufferPointer
    ) -> UnsafeRawBufferPointer {
        byteCount &+= UInt32(truncatingIfNeeded: bytes.count)
        guard var start = bytes.baseAddress else { return bytes }
        var count = bytes.count
        while count >= Self.blockByteCount {
            compress(start)
            start += Self.blockByteCount
            count &-= Self.blockByteCount
        }
        return UnsafeRawBufferPointer(start: start, count: count)
    }

    /// Goes on with 64 bytes.
    private mutating func compress(_ block: UnsafeRawPointer) {
        var schedule = InlineArray<16, UInt32>(repeating: 0)
        withUnsafeMutableBytes(of: &schedule) { schedule in
            schedule.copyMemory(from: UnsafeRawBufferPointer(start: block, count: schedule.count))
        }
        schedule.swapBytes()
        var mixed = state
        for round in 0..<64 {
            if round >= 16 { schedule.extend(to: round) }
            mixed.mix(schedule[round & 15] &+ roundConstants[round])
        }
        for index in 0..<8 { state[index] &+= mixed[index] }
    }
}

extension InlineArray where Element == UInt32 {
    /// From numbers to what lies in a digest or a message, or back.
    fileprivate mutating func swapBytes() {
        var words = mutableSpan
        swapBytesOfAll(&words)
    }
}

/// Not inlined: for a known count it would become as many times the same.
@inline(never)
private func swapBytesOfAll(_ words: inout MutableSpan<UInt32>) {
    for index in words.indices { words[index] = words[index].bigEndian }
}

extension InlineArray<16, UInt32> {
    /// Replaces the word of 16 rounds ago.
    @inline(__always)
    fileprivate mutating func extend(to round: Int) {
        let early = self[(round + 1) & 15]
        let late = self[(round + 14) & 15]
        let first = early.rotated(7) ^ early.rotated(18) ^ (early >> 3)
        let second = late.rotated(17) ^ late.rotated(19) ^ (late >> 10)
        self[round & 15] = self[round & 15] &+ first &+ self[(round + 9) & 15] &+ second
    }
}

extension InlineArray<8, UInt32> {
    /// One round, with a word of the schedule and a constant in one.
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
