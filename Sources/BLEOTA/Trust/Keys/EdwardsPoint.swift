#if Signatures

/// Points of Curve25519 in the form of Edwards, as RFC 8032 (section 5.1.2) encodes them: 255 bits
/// of y, little-endian, and one bit that tells the two possible x apart.
enum EdwardsPoint {
    /// 2²⁵⁵ − 19, the number of the field.
    private static let prime: [UInt8] = [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F]

    /// The y of the eight points whose order divides 8. Who knows them can make signatures that
    /// such a point, as a public key, takes as right.
    private static let smallOrderY: [[UInt8]] = [
        [UInt8](repeating: 0, count: 32),
        [1] + [UInt8](repeating: 0, count: 31),
        [0xEC] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
        [
            0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF,
            0x98, 0xF0, 0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88,
            0x6D, 0x53, 0xFC, 0x05,
        ],
        [
            0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10,
            0x67, 0x0F, 0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77,
            0x92, 0xAC, 0x03, 0x7A,
        ],
    ]

    /// Whether 32 bytes encode a point of small order, or a y that RFC 8032 (section 5.1.3) tells a
    /// reader to refuse because it is not below the prime: a small one could hide behind it.
    static func isWeak(_ encoded: [UInt8]) -> Bool {
        guard encoded.count == 32 else { return true }
        let y = encoded.dropLast() + [encoded[31] & 0x7F]
        return smallOrderY.contains(Array(y)) || !isBelowPrime(Array(y))
    }

    private static func isBelowPrime(_ number: [UInt8]) -> Bool {
        number.reversed().lexicographicallyPrecedes(prime.reversed())
    }
}

#endif
