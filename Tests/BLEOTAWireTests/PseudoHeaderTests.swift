import BLEOTAWire
import Testing

/// What section 2.4 promises of the pseudo-header. The checksum is linear, so whether a difference
/// shows does not depend on what else the frame holds; the frames here are short.
@Suite("Pseudo-header")
struct PseudoHeaderTests {
    private static let payload: [UInt8] = [0xC0, 0xFF, 0xEE]
    private static let numbers: [UInt16] = [0, 1, 0x00FF, 0x0100, 0x5AA5, 0xFFFF]

    //= DATA-2
    @Test("A frame of any other object or epoch is refused", arguments: numbers)
    func otherObjectOrEpoch(number: UInt16) {
        let session = SessionNumber(0x1234)
        let bytes = frame(header(session, objectAndEpoch: number))
        let accepted = (0...UInt16.max).filter {
            isIntact(bytes, header(session, objectAndEpoch: $0))
        }
        #expect(accepted == [number])
    }

    //= DATA-2
    @Test("A frame of any other session is refused", arguments: numbers)
    func otherSession(number: UInt16) {
        let bytes = frame(header(SessionNumber(number), objectAndEpoch: 0x0301))
        let accepted = (0...UInt16.max).filter {
            isIntact(bytes, header(SessionNumber($0), objectAndEpoch: 0x0301))
        }
        #expect(accepted == [number])
    }

    @Test("An index off by any multiple of 32,768 is refused below 2^31", arguments: numbers)
    func aliasedIndex(number: UInt16) {
        let header = header(SessionNumber(7), objectAndEpoch: 1)
        let index = UInt32(number) << 15 | 0x1ABC
        let bytes = frame(header, chunkIndex: index)
        let accepted = (0...UInt16.max).filter {
            let alias = UInt32($0) << 15 | 0x1ABC
            return isIntact(bytes, header, chunkIndex: alias)
        }
        #expect(accepted == [number])
    }

    /// The largest image in the smallest chunks has 357,913,942 of them, so no such pair of indices
    /// can meet; the test is here to know where the guarantee ends.
    @Test("At 2^31 and above exactly one difference is the polynomial and would pass")
    func whereTheGuaranteeEnds() {
        let header = header(SessionNumber(7), objectAndEpoch: 1)
        let bytes = frame(header, chunkIndex: 0)
        let accepted = (UInt32(1)..<1 << 17).map { $0 << 15 }.filter {
            isIntact(bytes, header, chunkIndex: $0)
        }
        #expect(accepted == [0x8408_8000])
        #expect(UInt64(UInt32.max) / UInt64(ChunkSize.smallest.byteCount) < 1 << 29)
    }

    //= CRC-1
    @Test("The checksum covers the pseudo-header, then the frame")
    func layout() {
        let header = PseudoHeader(
            session: SessionNumber(0x0201),
            object: .image,
            epoch: Epoch(0x04)
        )
        let bytes = frame(header, chunkIndex: 0x0807_8605)
        let sent: [UInt8] = [0x05, 0x06] + Self.payload
        let covered: [UInt8] = [0x01, 0x02, 1, 0x04, 0x05, 0x86, 0x07, 0x08] + sent
        #expect(bytes == sent + Wire.little(ReferenceChecksum.value(of: covered)))
    }

    @Test("An echo probe belongs to session 0, object 255 and epoch 0")
    func echo() {
        let bytes = frame(.echo, chunkIndex: 0x7ABC)
        let sent: [UInt8] = [0xBC, 0x7A] + Self.payload
        let covered: [UInt8] = [0, 0, 255, 0, 0xBC, 0x7A, 0, 0] + sent
        #expect(bytes == sent + Wire.little(ReferenceChecksum.value(of: covered)))
    }

    private func header(_ session: SessionNumber, objectAndEpoch: UInt16) -> PseudoHeader {
        PseudoHeader(
            session: session,
            object: ObjectID(rawValue: UInt8(objectAndEpoch & 0xFF)),
            epoch: Epoch(UInt8(objectAndEpoch >> 8))
        )
    }

    private func frame(_ header: PseudoHeader, chunkIndex: UInt32 = 9) -> [UInt8] {
        Wire.dataFrame(chunkIndex: chunkIndex, payload: Self.payload, header: header)
    }

    private func isIntact(
        _ bytes: [UInt8],
        _ header: PseudoHeader,
        chunkIndex: UInt32 = 9
    ) -> Bool {
        DataFrame.isIntact(bytes.span.bytes, chunkIndex: chunkIndex, header: header)
    }
}
