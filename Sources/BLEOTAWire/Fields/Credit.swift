/// The number of chunks past the cumulative acknowledgement that the receiver can place.
public enum Credit: Hashable, Sendable, BitwiseCopyable {
    /// A limit of 0 to 16,383 chunks.
    case chunks(UInt16)
    /// No limit: the receiver does not pace the sender, which sends timed bursts instead
    /// ([CREDIT-4]).
    case unlimited

    /// The largest credit in chunks that an ACK can grant: half the range of the 15-bit index,
    /// minus 1.
    public static var chunkCountMax: Int { 16_383 }

    /// Creates a credit of `chunkCount` chunks, or of ``chunkCountMax`` if that is less.
    ///
    /// - Parameter chunkCount: 0 or more.
    public init(clamping chunkCount: Int) {
        precondition(chunkCount >= 0)
        self = .chunks(UInt16(min(chunkCount, Credit.chunkCountMax)))
    }

    /// The encoded number.
    public var rawValue: UInt16 {
        switch self {
        case .chunks(let count): count
        case .unlimited: .max
        }
    }

    /// Decodes a credit. Returns `nil` if the number is above 16,383 and is not 65,535.
    public init?(rawValue: UInt16) {
        switch rawValue {
        case 0...UInt16(Credit.chunkCountMax): self = .chunks(rawValue)
        case .max: self = .unlimited
        default: return nil
        }
    }
}
