#if Signatures

/// Points on the Edwards form of Curve25519, as encoded by RFC 8032, section 5.1.2: 255 bits of
/// y, little-endian, and one bit that selects one of the two possible values of x.
enum EdwardsPoint {
    /// 2²⁵⁵ − 19, the prime of the field.
    private static let prime: [UInt8] = [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F]

    /// The y coordinates of the eight points whose order divides 8. If such a point is used as a
    /// public key, anyone can forge signatures that are valid under it.
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

    /// Whether 32 bytes encode a point of small order, or a y that is not below the prime. RFC
    /// 8032, section 5.1.3, requires decoders to reject such a y; it could disguise a point of
    /// small order.
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
