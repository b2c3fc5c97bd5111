/// A piece of a signed receipt: as many bytes as a PROOF carries, 0 to 75.
public struct ReceiptPiece: Sendable, BitwiseCopyable {
    /// The length of the longest piece, which fills the longest control frame.
    public static var byteCountMax: Int { 75 }

    /// The length of the piece in bytes.
    public private(set) var byteCount: Int
    private var bytes: InlineArray<75, UInt8>

    /// Creates a piece.
    ///
    /// - Parameter bytes: 0 to 75 bytes.
    public init(_ bytes: RawSpan) {
        precondition(bytes.byteCount <= Self.byteCountMax)
        byteCount = bytes.byteCount
        self.bytes = InlineArray { $0 < bytes.byteCount ? bytes.byte(at: $0) : 0 }
    }

    /// Byte `index` of the piece, which must be in bounds.
    public subscript(index: Int) -> UInt8 {
        precondition(index < byteCount)
        return bytes[index]
    }
}

extension ReceiptPiece: Hashable {
    /// Whether both pieces have the same bytes.
    public static func == (left: ReceiptPiece, right: ReceiptPiece) -> Bool {
        guard left.byteCount == right.byteCount else { return false }
        for index in 0..<left.byteCount where left[index] != right[index] { return false }
        return true
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        for index in 0..<byteCount { hasher.combine(self[index]) }
    }
}
