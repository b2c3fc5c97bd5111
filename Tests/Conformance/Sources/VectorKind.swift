/// What is done with a vector, and what its input holds (numbers are little-endian; pack.py writes
/// them).
enum VectorKind: UInt8 {
    /// No vector, but the name of the file from which the next ones are.
    case heading
    /// A frame.
    case senderControl
    /// u16 session, then a frame.
    case receiverControl
    /// u8 whether there is a context and if so: u16 session, u8 object, u8 epoch, u32 byte count of
    /// the object, u16 chunk size, u32 cumulative, u8 whether there is an edge, u32 edge. Then a
    /// frame.
    case data
    /// Pseudo-header, what is covered, and what is sent, each after a u16 with its byte count.
    case checksum
    /// u16 byte count of the link.
    case chunkSize
    /// u32 cumulative, u16 low 15 bits.
    case chunkIndex
    /// u32 byte count of the object, u8 words of a chunk, u8 whether there is a last one, u32 last,
    /// u16 cumulative, u16 credit, u32 durable byte count. Then the bitmap.
    case account
    /// u8 present, u8 received.
    case epochOrder
    /// u8 opcode, u8 whether it is from a receiver.
    case direction
    /// u32 byte count of the manifest, then its beginning; the rest is zeros.
    case manifestByteCount
    /// A name.
    case nameTag
    /// A manifest after a u16 with its byte count, u32 byte count of the image, and what makes the
    /// image when it is repeated, after a u16 with its byte count.
    case manifest
    /// What ``TapeSetup`` reads, u16 count of frames, and for each u32 milliseconds of its arrival,
    /// u8 whether it is data, and its bytes after a u16 with their byte count.
    case transfer
}
