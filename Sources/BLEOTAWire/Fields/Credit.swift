/// How many chunks past the cumulative acknowledgement the receiver can place.
public enum Credit: Hashable, Sendable, BitwiseCopyable {
    /// 0 to 16,383 chunks.
    case chunks(UInt16)
    /// The receiver does not pace; the sender does, by its clock ([CREDIT-4]).
    case unlimited

    /// The most chunks an ACK can grant: half the space of the 15-bit index, less one.
    public static var chunkCountMax: Int { 16_383 }

    /// The largest credit of at most `chunkCount` chunks.
    ///
    /// - Parameter chunkCount: 0 or more.
    public init(clamping chunkCount: Int) {
        precondition(chunkCount >= 0)
        self = .chunks(UInt16(min(chunkCount, Credit.chunkCountMax)))
    }

    /// The number on the wire.
    public var rawValue: UInt16 {
        switch self {
        case .chunks(let count): count
        case .unlimited: .max
        }
    }

    /// Reads the number on the wire; `nil` when it is neither a count nor 65,535.
    public init?(rawValue: UInt16) {
        switch rawValue {
        case 0...UInt16(Credit.chunkCountMax): self = .chunks(rawValue)
        case .max: self = .unlimited
        default: return nil
        }
    }
}
