/// A data frame: poll flag, chunk index, payload and checksum (spec/bleota.md, section 2.2).
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
    /// The number of bytes that the chunk index and the checksum take.
    public static var overheadByteCount: Int { 4 }

    private enum Layout {
        static var pollAndIndex: Int { 0 }
        static var payload: Int { 2 }
        static var checksumByteCount: Int { 2 }
        static var pollFlag: UInt16 { 0x8000 }
    }

    /// Whether the sender asks for an immediate ACK.
    public let isPoll: Bool
    /// The chunk index modulo 32,768, or the token of an echo probe.
    public let token: UInt16
    /// The length of the whole frame in bytes.
    public let byteCount: Int

    /// The byte range of the chunk within the frame.
    public var payloadRange: Range<Int> {
        Layout.payload..<byteCount - Layout.checksumByteCount
    }

    /// Parses a datagram. Its fields can be trusted only after
    /// ``isIntact(_:chunkIndex:header:)`` has returned `true`.
    ///
    /// - Throws: `.empty` if the datagram is empty; `.length` if it has no payload or a payload of
    ///   more than 508 bytes.
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

    //= DATA-1: The chunk index of a data frame is the number congruent to bits 14 to 0 modulo
    //= 32,768 that is nearest to the receiver's cumulative acknowledgement. If two such numbers are
    //= equally near, a receiver MUST take the smaller. If the number is negative, the receiver MUST
    //= drop the frame.
    /// The full index: the number nearest to `cumulative` whose low 15 bits are those in the
    /// frame. Returns `nil` if that number is negative or does not fit in 32 bits.
    public func chunkIndex(near cumulative: UInt32) -> UInt32? {
        // The difference modulo 32,768, as a number from −16,384 to 16,383.
        let difference = token &- UInt16(truncatingIfNeeded: cumulative)
        let distance = Int32(Int16(bitPattern: difference &<< 1) &>> 1)
        let index = cumulative &+ UInt32(bitPattern: distance)
        // An index that is negative or too large has wrapped around to the other side of
        // `cumulative`.
        return (index < cumulative) == (distance < 0) ? index : nil
    }

    //= CRC-1: An end MUST compute the checksum of every frame over its pseudo-header, followed by
    //= the frame without its checksum.
    /// Whether the checksum of the frame in `bytes` is correct for this chunk and the session,
    /// object and epoch in `header`.
    ///
    /// - Parameters:
    ///   - bytes: at least 5 bytes, as ``init(decoding:)`` ensures.
    ///   - chunkIndex: the full index of the chunk, as ``chunkIndex(near:)`` returns it.
    ///   - header: the part of the checksum's input that is not sent.
    public static func isIntact(
        _ bytes: RawSpan,
        chunkIndex: UInt32,
        header: PseudoHeader
    ) -> Bool {
        var checksum = header.checksum(chunkIndex: chunkIndex)
        checksum.update(bytes)
        return checksum.isClosed
    }

    /// Encodes a frame.
    ///
    /// - Parameters:
    ///   - chunkIndex: the full index of the chunk.
    ///   - isPoll: whether the frame asks for an immediate ACK.
    ///   - payload: 1 to 508 bytes.
    ///   - header: the part of the checksum's input that is not sent.
    ///   - output: a buffer with room for the payload and 4 more bytes.
    /// - Returns: the length of the frame in bytes.
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

    /// Completes a frame whose payload is already at offset 2 of `output`.
    ///
    /// - Parameters:
    ///   - chunkIndex: the full index of the chunk.
    ///   - isPoll: whether the frame asks for an immediate ACK.
    ///   - payloadByteCount: 1 to 508.
    ///   - header: the part of the checksum's input that is not sent.
    ///   - output: the buffer that holds the payload, with room for 4 more bytes.
    /// - Returns: the length of the frame in bytes.
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
