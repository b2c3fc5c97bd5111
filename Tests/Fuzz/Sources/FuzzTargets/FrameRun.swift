import BLEOTACore
import BLEOTAWire

/// Every decoder on arbitrary bytes. The first byte says which, and what is put right beforehand so
/// that the fields behind a checksum are reached.
struct FrameRun {
    private var input: FuzzInput

    init(_ bytes: UnsafeRawBufferPointer) { input = FuzzInput(bytes) }

    mutating func play() throws(BrokenProperty) {
        switch input.choice(6) {
        case 0: try everything()
        case 1: try sealedControl()
        case 2: try DataFrameRun(&input).play()
        case 3: try ManifestRun.check(input.rest())
        case 4: try ManifestRun.check(ManifestRun.mended(&input))
        default: try arithmetic()
        }
    }

    private mutating func everything() throws(BrokenProperty) {
        let session = SessionNumber(input.uint16())
        let datagram = input.rest(countMax: 1_024)
        _ = try Self.readSender(datagram)
        _ = try Self.readReceiver(datagram, session)
        try ManifestRun.check(datagram)
        let isFrame = (try? DataFrame(decoding: datagram.span.bytes)) != nil
        try require(isFrame == (5...512).contains(datagram.count), "a data frame of wrong length")
    }

    private mutating func sealedControl() throws(BrokenProperty) {
        let session = SessionNumber(input.uint16())
        let datagram = FrameBytes.sealed(input.rest(countMax: 96), session: session)
        let toReceiver = try Self.readSender(datagram)
        let toSender = try Self.readReceiver(datagram, session)
        try require(toReceiver == nil || toSender == nil, "a frame of both directions")
    }

    /// Reads a frame of a sender, and writes it again if it is one.
    static func readSender(_ datagram: [UInt8]) throws(BrokenProperty) -> SenderControl? {
        guard let frame = try? SenderControl(decoding: datagram.span.bytes) else { return nil }
        try require(FrameBytes.bytes(of: frame) == datagram, "\(frame) has two variants")
        let opcode = ControlOpcode(peeking: datagram.span.bytes)
        try require(opcode?.isFromReceiver == false, "\(frame) has opcode \(opcode as Any)")
        return frame
    }

    /// Reads a frame of a receiver, and writes it again if it is one.
    static func readReceiver(
        _ datagram: [UInt8],
        _ session: SessionNumber
    ) throws(BrokenProperty) -> ReceiverControl? {
        guard
            let frame = try? ReceiverControl(decoding: datagram.span.bytes, session: session)
        else { return nil }
        let written = FrameBytes.bytes(of: frame, session: session)
        if case .result(let result) = frame, datagram[0] >> 4 != ProtocolVersion.current {
            // It was written by an end that speaks another version.
            try require(result.reason == .version, "\(frame) of another version")
            try require(written[1..<11] == datagram[1..<11], "\(frame) reads otherwise")
            return frame
        }
        try require(written == datagram, "\(frame) has two variants")
        let opcode = ControlOpcode(peeking: datagram.span.bytes)
        try require(opcode?.isFromReceiver == true, "\(frame) has opcode \(opcode as Any)")
        return frame
    }

    private mutating func arithmetic() throws(BrokenProperty) {
        let (last, low) = (input.uint32(), input.uint16())
        let chunkSize = ChunkSize(fittingFrameOf: 16 + Int(input.uint16() % 600))
        try require((12...508).contains(chunkSize.byteCount), "a chunk of \(chunkSize)")

        var frame: [UInt8] = [0, 0, 0, 0, 0]
        frame[0] = UInt8(low & 0xFF)
        frame[1] = UInt8(low >> 8)
        if let frame = try? DataFrame(decoding: frame.span.bytes) {
            try require(
                frame.chunkIndex(near: last)
                    == Reference.nearest(low & 0x7FFF, bitCount: 15, to: last),
                "the chunk index \(low) near \(last)"
            )
        }
        var account = Acknowledgement(
            answersPoll: false,
            object: .image,
            epoch: Epoch(0),
            truncatedCumulative: low,
            credit: .unlimited,
            durableByteCount: last
        )
        try require(
            account.cumulative(chunkSize: chunkSize)
                == Reference.atLeast(last / UInt32(chunkSize.byteCount), low),
            "the cumulative acknowledgement \(low) at \(last) durable bytes of \(chunkSize)"
        )
        try readAgain(&account)
    }

    /// Reads an ACK with any bitmap again.
    private mutating func readAgain(_ account: inout Acknowledgement) throws(BrokenProperty) {
        for (index, byte) in input.rest(countMax: 64).enumerated() {
            for bit in 0..<8 where byte >> UInt8(bit) & 1 != 0 {
                account.bitmap[8 * index + bit] = true
            }
        }
        let session = SessionNumber(0xBEEF)
        let datagram = FrameBytes.bytes(of: .acknowledgement(account), session: session)
        try require(
            try Self.readReceiver(datagram, session) == .acknowledgement(account),
            "an ACK reads otherwise"
        )
    }
}
