/// One chunk on the wire: index and poll flag, payload, checksum (spec/bleota.md, section 2.2).
///
/// ```swift
/// let header = PseudoHeader(session: session, object: .image, epoch: epoch)
/// let byteCount = DataFrame.encode(
///     chunkIndex: 7, isPoll: false, payload: chunk, header: header, into: &buffer)
/// let frame = try DataFrame(decoding: received)
/// if let index = frame.chunkIndex(near: cumulative),
///     DataFrame.isIntact(received, chunkIndex: index, header: header)
/// {
///     place(received.extracting(frame.payloadRange), at: index)
/// }
/// ```
public struct DataFrame: Sendable, BitwiseCopyable {
    /// Index and checksum.
    public static var overheadByteCount: Int { 4 }

    private enum Layout {
        static var pollAndIndex: Int { 0 }
        static var payload: Int { 2 }
        static var checksumByteCount: Int { 2 }
        static var pollFlag: UInt16 { 0x8000 }
    }

    /// Whether the sender asks for an ACK now.
    public let isPoll: Bool
    /// The index modulo 32,768, or the token of an echo probe.
    public let token: UInt16
    /// The length of the whole frame.
    public let byteCount: Int

    /// Where the chunk lies in the frame.
    public var payloadRange: Range<Int> {
        Layout.payload..<byteCount - Layout.checksumByteCount
    }

    /// Takes a datagram apart. What it says may be trusted only after
    /// ``isIntact(_:chunkIndex:header:)``.
    ///
    /// - Throws: `.empty` or `.length` when it has no payload or more than the longest chunk.
    public init(decoding bytes: RawSpan) throws(FrameDecodingError) {
        guard !bytes.isEmpty else { throw .empty }
        guard bytes.byteCount > DataFrame.overheadByteCount,
            bytes.byteCount <= DataFrame.overheadByteCount + 508
        else { throw .length }
        let pollAndIndex = bytes.uint16(at: Layout.pollAndIndex)
        isPoll = pollAndIndex & Layout.pollFlag != 0
        token = pollAndIndex & ~Layout.pollFlag
        byteCount = bytes.byteCount
    }

    //= DATA-1: A receiver MUST take as the chunk index the number nearest to its cumulative
    //= acknowledgement that is congruent to the 15 bits, the smaller where two are equally near,
    //= and drop the frame if that is negative.
    /// The whole index, as the number nearest to `cumulative` with these 15 bits; `nil` if that is
    /// negative or does not fit 32 bits.
    public func chunkIndex(near cumulative: UInt32) -> UInt32? {
        // The difference of the 15 bits, −16,384 to 16,383.
        let difference = token &- UInt16(truncatingIfNeeded: cumulative)
        let distance = Int32(Int16(bitPattern: difference &<< 1) &>> 1)
        let index = cumulative &+ UInt32(bitPattern: distance)
        // One that is negative or too large has wrapped, to the other side of the acknowledgement.
        return (index < cumulative) == (distance < 0) ? index : nil
    }

    //= CRC-1: An end MUST compute the checksum of every frame over its pseudo-header and the frame.
    /// Whether the frame in `bytes` has the checksum of this chunk of this session, object and
    /// epoch.
    ///
    /// - Parameter bytes: at least 5, as ``init(decoding:)`` makes sure.
    public static func isIntact(
        _ bytes: RawSpan,
        chunkIndex: UInt32,
        header: PseudoHeader
    ) -> Bool {
        var checksum = header.checksum(chunkIndex: chunkIndex)
        checksum.update(bytes)
        return checksum.isClosed
    }

    /// Writes a frame.
    ///
    /// - Parameters:
    ///   - payload: 1 to 508 bytes.
    ///   - output: room for the payload and 4 bytes.
    /// - Returns: the length of the frame.
    public static func encode(
        chunkIndex: UInt32,
        isPoll: Bool,
        payload: RawSpan,
        header: PseudoHeader,
        into output: inout MutableRawSpan
    ) -> Int {
        precondition((1...508).contains(payload.byteCount), "a chunk has 1 to 508 bytes")
        let end = Layout.payload + payload.byteCount
        output.withUnsafeMutableBytes { output in
            payload.withUnsafeBytes { payload in
                UnsafeMutableRawBufferPointer(rebasing: output[Layout.payload..<end])
                    .copyMemory(from: payload)
            }
        }
        seal(chunkIndex: chunkIndex, isPoll: isPoll, end: end, header: header, into: &output)
        return end + Layout.checksumByteCount
    }

    /// Completes a frame whose payload already lies at offset 2 of `output`.
    ///
    /// - Parameter payloadByteCount: 1 to 508.
    /// - Returns: the length of the frame.
    public static func encode(
        chunkIndex: UInt32,
        isPoll: Bool,
        payloadInPlaceByteCount payloadByteCount: Int,
        header: PseudoHeader,
        into output: inout MutableRawSpan
    ) -> Int {
        precondition((1...508).contains(payloadByteCount), "a chunk has 1 to 508 bytes")
        let end = Layout.payload + payloadByteCount
        seal(chunkIndex: chunkIndex, isPoll: isPoll, end: end, header: header, into: &output)
        return end + Layout.checksumByteCount
    }

    private static func seal(
        chunkIndex: UInt32,
        isPoll: Bool,
        end: Int,
        header: PseudoHeader,
        into output: inout MutableRawSpan
    ) {
        let truncated = UInt16(truncatingIfNeeded: chunkIndex) & ~Layout.pollFlag
        output.put(truncated | (isPoll ? Layout.pollFlag : 0), at: Layout.pollAndIndex)
        var checksum = header.checksum(chunkIndex: chunkIndex)
        checksum.update(output.bytes.extracting(0..<end))
        output.put(checksum.value, at: end)
    }
}
