import BLEOTACore
import BLEOTAWire

/// A data frame with a right checksum, which nobody else may take for its own.
struct DataFrameRun {
    private let session: SessionNumber
    private let object: ObjectID
    private let epoch: Epoch
    private let cumulative: UInt32
    /// By how much other sessions, epochs and indices differ.
    private let difference: UInt16
    private let isPoll: Bool
    private let truncatedIndex: UInt16
    private let payload: [UInt8]

    private var header: PseudoHeader {
        PseudoHeader(session: session, object: object, epoch: epoch)
    }

    init(_ input: inout FuzzInput) {
        session = SessionNumber(input.uint16())
        object = ObjectID(rawValue: input.byte())
        epoch = Epoch(input.byte())
        cumulative = input.uint32() % Self.chunkCountMax
        difference = max(input.uint16(), 1)
        let pollAndIndex = input.uint16()
        isPoll = pollAndIndex & 0x8000 != 0
        truncatedIndex = pollAndIndex & 0x7FFF
        payload = input.rest(countMax: 508)
    }

    /// No object has as many: that would be 4 GiB in chunks of 8 bytes.
    private static var chunkCountMax: UInt32 { 1 << 29 }

    func play() throws(BrokenProperty) {
        let nearest = Reference.nearest(truncatedIndex, bitCount: 15, to: cumulative)
        guard !payload.isEmpty, let index = nearest else { return }
        let datagram = FrameBytes.data(
            chunkIndex: index,
            isPoll: isPoll,
            payload: payload,
            header: header
        )
        let inPlace = FrameBytes.dataInPlace(
            chunkIndex: index,
            isPoll: isPoll,
            payload: payload,
            header: header
        )
        try require(inPlace == datagram, "a data frame has two forms")
        try checkRead(datagram, index)
        try checkRefused(datagram, index)
    }

    private func checkRead(_ datagram: [UInt8], _ index: UInt32) throws(BrokenProperty) {
        let bytes = datagram.span.bytes
        guard let frame = try? DataFrame(decoding: bytes) else {
            throw BrokenProperty(description: "a data frame is not read")
        }
        try require(frame.isPoll == isPoll, "the poll flag is read otherwise")
        try require(Array(datagram[frame.payloadRange]) == payload, "the payload is elsewhere")
        try require(frame.chunkIndex(near: cumulative) == index, "index \(index) is lost")
        try require(
            DataFrame.isIntact(bytes, chunkIndex: index, header: header),
            "its checksum is wrong"
        )
    }

    /// Neither another session nor another object or epoch takes the frame, nor does another place.
    private func checkRefused(_ datagram: [UInt8], _ index: UInt32) throws(BrokenProperty) {
        let bytes = datagram.span.bytes
        let others = [
            PseudoHeader(
                session: SessionNumber(session.rawValue ^ difference),
                object: object,
                epoch: epoch
            ),
            PseudoHeader(
                session: session,
                object: ObjectID(rawValue: object.rawValue ^ UInt8(difference & 1)),
                epoch: Epoch(epoch.rawValue ^ UInt8(difference >> 8) ^ UInt8(~difference & 1))
            ),
        ]
        for other in others where other != header {
            try require(
                !DataFrame.isIntact(bytes, chunkIndex: index, header: other),
                "a frame of another session or epoch passes"
            )
        }
        let alias = (index &+ 32_768 &* UInt32(difference)) % Self.chunkCountMax
        try require(
            alias == index || !DataFrame.isIntact(bytes, chunkIndex: alias, header: header),
            "a frame of another index passes"
        )
    }
}
