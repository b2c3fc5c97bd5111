/// CRC-16 with the polynomial 0x1021, high bit first, as several vendors' protocols use it.
package enum CRC16 {
    /// - Parameter initial: 0 for CRC-16/XMODEM, 0xFFFF for CRC-16/IBM-3740.
    package static func checksum(
        of bytes: some Sequence<UInt8>,
        initial: UInt16 = 0
    ) -> UInt16 {
        bytes.reduce(initial) { remainder, byte in
            // Eight divisions by x at once: the terms x¹², x⁵ and 1 of the polynomial.
            var next = remainder &<< 8 | remainder &>> 8
            next ^= UInt16(byte)
            next ^= (next & 0xFF) &>> 4
            next ^= next &<< 12
            next ^= (next & 0xFF) &<< 5
            return next
        }
    }
}
