import BLEOTA

/// The packets of a sector. Each has the index of the sector, its own sequence number, and
/// firmware; the last one ends with the CRC-16 of the sector.
enum ESPSector {
    /// The length of a sector. Devices buffer and check firmware in units as long as the sectors of
    /// their flash.
    static let byteCount = 4_096
    /// The index of a sector past the end of any image: it would begin near 256 MiB. Devices answer
    /// it with the index of the sector that they expect.
    static let indexOfNone = 0xFFFE

    /// The maximum length of an attribute value. Source: Bluetooth Core Specification, volume 3,
    /// part F, section 3.2.9.
    private static let packetByteCountMax = 512
    private static let headByteCount = 3
    private static let crcByteCount = 2
    private static let numberOfLast: UInt8 = 0xFF

    /// How many bytes of firmware fit in a packet of this length.
    static func firmwareByteCount(inPacketOf byteCount: Int) -> Int {
        min(byteCount, packetByteCountMax) - headByteCount
    }

    /// - Parameters:
    ///   - index: the index of the sector, counted from 0.
    ///   - packetByteCount: the length of the longest value that may be written, at least 20 bytes.
    ///     A sector then has at most 242 packets, so only the last one has the sequence number
    ///     0xFF.
    static func packets(_ index: Int, of firmware: [UInt8], packetByteCount: Int) -> [[UInt8]] {
        let bytes = firmware[index * byteCount..<min((index + 1) * byteCount, firmware.count)]
        let size = firmwareByteCount(inPacketOf: packetByteCount)
        var packets: [[UInt8]] = []
        var rest = bytes
        while rest.count > size - crcByteCount {
            // The last packet gets at least one byte of firmware.
            let part = rest.prefix(min(size, rest.count - 1))
            packets.append(packet(index, UInt8(packets.count), part))
            rest = rest.dropFirst(part.count)
        }
        let end = Array(rest) + ESPMessage.bytes(CRC16.checksum(of: bytes))
        return packets + [packet(index, numberOfLast, end[...])]
    }

    /// Returns a last packet with a wrong CRC. When the packet arrives, the device drops its part
    /// of the sector, and answers.
    static func broken(_ index: Int) -> [UInt8] {
        packet(index, numberOfLast, [0x5A, 0xA5])
    }

    private static func packet(
        _ index: Int,
        _ number: UInt8,
        _ content: ArraySlice<UInt8>
    ) -> [UInt8] {
        ESPMessage.bytes(UInt16(index)) + [number] + content
    }
}
