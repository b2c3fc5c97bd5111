/// The 12 bytes that a sender picks at random for a CHALLENGE, and that the signature of the
/// receipt covers.
public struct ChallengeNonce: Hashable, Sendable, BitwiseCopyable {
    /// The length of a nonce in bytes.
    public static var byteCount: Int { 12 }

    /// Bytes 0 to 7 as a little-endian number.
    public var low: UInt64
    /// Bytes 8 to 11 as a little-endian number.
    public var high: UInt32

    /// Creates a nonce. All numbers are valid.
    public init(low: UInt64, high: UInt32) {
        self.low = low
        self.high = high
    }
}
