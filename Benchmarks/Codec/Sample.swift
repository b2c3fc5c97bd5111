import BLEOTACore
import BLEOTAWire

/// What all benchmarks of the codec work on: an image of 4,096 chunks of 240 bytes, the most that
/// fit one packet of the link layer, and a buffer for one frame, which stands for the link.
struct Sample {
    static let session = SessionNumber(0x1234)
    private static let chunkCount = 4_096

    let packetizer: Packetizer
    let header = PseudoHeader(session: Sample.session, object: .image, epoch: Epoch(1))
    let image: UnsafeMutableRawBufferPointer
    /// The image's frames, one after the other.
    let frames: UnsafeMutableRawBufferPointer
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 512, alignment: 16)

    init() {
        let chunkSize = ChunkSize(fittingFrameOf: 244)
        let byteCount = Self.chunkCount * chunkSize.byteCount
        packetizer = Packetizer(objectByteCount: UInt32(byteCount), chunkSize: chunkSize)
        image = .allocate(byteCount: byteCount, alignment: 16)
        // Numerical Recipes' congruential generator: bytes without a pattern that matters here.
        var state: UInt32 = 1
        for offset in 0..<byteCount {
            state = state &* 1_664_525 &+ 1_013_904_223
            image[offset] = UInt8(truncatingIfNeeded: state >> 24)
        }
        let frameByteCount = chunkSize.frameByteCount
        frames = .allocate(byteCount: Self.chunkCount * frameByteCount, alignment: 16)
        for index in 0..<Self.chunkCount {
            makeFrame(UInt32(index))
            frames.baseAddress!.advanced(by: index * frameByteCount)
                .copyMemory(from: buffer.baseAddress!, byteCount: frameByteCount)
        }
    }

    var chunkByteCount: Int { packetizer.chunkSize.byteCount }
    var frameByteCount: Int { packetizer.chunkSize.frameByteCount }
    var chunkCount: Int { Int(packetizer.chunkCount) }

    /// Cuts a chunk out of the image, puts it into a frame in the buffer and returns the frame.
    @discardableResult
    func makeFrame(_ index: UInt32) -> UnsafeRawBufferPointer {
        let range = packetizer.byteRange(ofChunk: index)
        return makeFrame(
            index,
            of: UnsafeRawBufferPointer(rebasing: image[range]),
            header: header,
            isPoll: false
        )
    }

    func makeFrame(
        _ index: UInt32,
        of payload: UnsafeRawBufferPointer,
        header: PseudoHeader,
        isPoll: Bool
    ) -> UnsafeRawBufferPointer {
        var output = buffer.mutableBytes
        let byteCount = DataFrame.encode(
            chunkIndex: index,
            isPoll: isPoll,
            payload: payload.bytes,
            header: header,
            into: &output
        )
        return UnsafeRawBufferPointer(rebasing: buffer[..<byteCount])
    }

    /// A frame of ``frames``.
    func frame(_ index: Int) -> UnsafeRawBufferPointer {
        let start = index * frameByteCount
        return UnsafeRawBufferPointer(rebasing: frames[start..<start + frameByteCount])
    }
}
