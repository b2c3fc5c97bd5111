/// A model of Nordic's Secure DFU: the image in objects, each created, sent, compared by checksum
/// and executed, by write requests that are answered with notifications.
enum SecureDFU {
    enum Frame {
        case setReceipts(packetCount: Int)
        case select
        case create
        case data(Range<Int>)
        case calculateChecksum
        case execute
        /// The answer to what needs no other.
        case accepted(Operation)
        /// How much is executed.
        case selected(byteCount: Int)
        /// Count and checksum of all that is stored; also a receipt.
        case checksum(ReceivedImage)
    }

    enum Operation {
        case setReceipts
        case create
        case execute
    }

    static let objectByteCount = 4_096
    /// The code of an operation, alone.
    static let bareByteCount = 1
    /// A code, and a count of packets in two bytes.
    static let setReceiptsByteCount = 3
    /// A code, and a kind of object.
    static let selectByteCount = 2
    /// A code, a kind of object, and its size in four bytes.
    static let createByteCount = 6
    /// A code, the operation that is answered, and a result.
    static let acceptedByteCount = 3
    /// That, and an offset and a checksum of four bytes each.
    static let checksumByteCount = 11
    /// That, and the largest size of an object in four bytes.
    static let selectedByteCount = 15
}
