import BLEOTACore
import BLEOTAWire

/// The ACK of a receiver with 64 chunks that arrived after a gap, written and read again and again.
struct Accounts {
    static let count = 4_096

    private let frame: ReceiverControl
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 512, alignment: 16)

    init() {
        var bitmap = ReceivedBitmap()
        for index in 0..<64 { bitmap[index] = true }
        frame = .acknowledgement(
            Acknowledgement(
                answersPoll: true,
                object: .image,
                epoch: Epoch(1),
                truncatedCumulative: 1_000,
                credit: .chunks(100),
                durableByteCount: 200_000,
                bitmap: bitmap
            )
        )
    }

    /// How long the frame is.
    var byteCount: Int { encode() }

    func exchange() {
        for _ in 0..<Self.count {
            let byteCount = encode()
            let datagram = UnsafeRawBufferPointer(rebasing: buffer[..<byteCount])
            let decoded = try? ReceiverControl(decoding: datagram.bytes, session: Sample.session)
            precondition(decoded == frame)
        }
    }

    private func encode() -> Int {
        var output = buffer.mutableBytes
        return frame.encode(session: Sample.session, into: &output)
    }
}
