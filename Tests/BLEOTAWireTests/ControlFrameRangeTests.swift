import BLEOTAWire
import Testing

/// Section 2.3: every value of every field that has a range, behind a right checksum.
@Suite("Ranges of the control frames")
struct ControlFrameRangeTests {
    private static let open: [UInt8] = [0x11, 0, 0, 60, 66, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]
    private static let poll: [UInt8] = [0x12, 0, 0, 1, 0]
    private static let acknowledgement: [UInt8] = [0x19, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    private static let busy: [UInt8] = [0x1A, 1, 1, 0, 0, 0]
    private static let echoReply: [UInt8] = [0x1C, 0, 0, 5, 0]
    private static let status: [UInt8] = [0x1D, 1, 1, 2, 3, 4, 5, 6, 7, 8]

    //= FRAME-1
    @Test("OPEN: chunk size ÷ 4 is 3 to 127")
    func chunkSize() {
        #expect(acceptedBytes(at: 3, of: Self.open) == Array(3...127))
    }

    //= FRAME-1
    @Test(
        "OPEN: the manifest has 66 to 33,554,432 bytes",
        arguments: [
            (0, false), (65, false), (66, true), (33_554_432, true), (33_554_433, false),
            (UInt32.max, false),
        ]
    )
    func manifestByteCount(byteCount: UInt32, isAllowed: Bool) {
        var bytes = Self.open
        bytes.replaceSubrange(4..<8, with: Wire.little(byteCount))
        let error = failure(bytes)
        #expect(error == (isAllowed ? nil : .range))
        #expect(SenderControl.Open.manifestByteCounts.contains(byteCount) == isAllowed)
    }

    //= FRAME-1
    @Test("POLL, ACK and BUSY: the object is 0 or 1")
    func object() {
        #expect(acceptedBytes(at: 3, of: Self.poll) == [0, 1])
        #expect(acceptedBytes(at: 2, of: Self.acknowledgement) == [0, 1])
        #expect(acceptedBytes(at: 2, of: Self.busy) == [0, 1])
        #expect(ObjectID.manifest.isTransferred && ObjectID.image.isTransferred)
        #expect(!ObjectID.echo.isTransferred)
    }

    //= FRAME-1
    @Test("ACK: flags 1 to 7 are reserved and zero")
    func flags() {
        #expect(acceptedBytes(at: 1, of: Self.acknowledgement, otherwise: .reserved) == [0, 1])
    }

    //= FRAME-1
    @Test("ACK: the credit is 0 to 16,383 or 65,535")
    func credit() {
        #expect(acceptedNumbers(at: 6, of: Self.acknowledgement) == Array(0...16_383) + [65_535])
    }

    //= FRAME-1
    @Test("ACK: a bitmap that ends in a zero byte is refused, in any length")
    func trailingZero() {
        for byteCount in 1...64 {
            let full = [UInt8](repeating: 0xFF, count: byteCount)
            #expect(failure(Self.acknowledgement + full) == nil)
            #expect(failure(Self.acknowledgement + full.dropLast() + [0x01]) == nil)
            #expect(failure(Self.acknowledgement + full.dropLast() + [0x00]) == .range)
            #expect(
                failure(Self.acknowledgement + [UInt8](repeating: 0, count: byteCount)) == .range
            )
        }
    }

    //= FRAME-1
    @Test("BUSY: the phase is 1 to 4")
    func phase() {
        #expect(acceptedBytes(at: 1, of: Self.busy) == [1, 2, 3, 4])
    }

    //= FRAME-1
    @Test("STATUS: the state is 0 to 4")
    func state() {
        #expect(acceptedBytes(at: 1, of: Self.status) == [0, 1, 2, 3, 4])
    }

    //= FRAME-1
    @Test("ECHO REPLY: a token has 15 bits, and a data frame 5 to 512 bytes")
    func echoReply() {
        #expect(acceptedNumbers(at: 1, of: Self.echoReply) == Array(0...0x7FFF))
        #expect(acceptedNumbers(at: 3, of: Self.echoReply) == Array(5...512))
    }

    /// The values of one byte with which the frame is accepted; with others it must be refused for
    /// the stated reason.
    private func acceptedBytes(
        at offset: Int,
        of frame: [UInt8],
        otherwise expected: FrameDecodingError = .range
    ) -> [UInt8] {
        (UInt8.min...UInt8.max).filter { value in
            var bytes = frame
            bytes[offset] = value
            let error = failure(bytes)
            if let error, error != expected { Issue.record("\(error) for \(value)") }
            return error == nil
        }
    }

    private func acceptedNumbers(at offset: Int, of frame: [UInt8]) -> [UInt16] {
        (UInt16.min...UInt16.max).filter { value in
            var bytes = frame
            bytes.replaceSubrange(offset..<offset + 2, with: Wire.little(value))
            let error = failure(bytes)
            if let error, error != .range { Issue.record("\(error) for \(value)") }
            return error == nil
        }
    }

    private func failure(_ bytes: [UInt8]) -> FrameDecodingError? {
        let sealed = Wire.sealed(bytes, session: 0)
        return bytes[0] & 0xF < 8
            ? Wire.fromSender(sealed).failure
            : Wire.fromReceiver(sealed, session: .none).failure
    }
}
