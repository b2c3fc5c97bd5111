/// A record of Intel HEX text with a valid length and checksum. Its data stays in the reader.
struct IntelHexRecord {
    enum Kind: UInt8 {
        case data = 0
        case end = 1
        case segmentBase = 2
        case segmentStart = 3
        case linearBase = 4
        case linearStart = 5

        /// The required number of data bytes; `nil` if the record may have any number.
        var fixedByteCount: Int? {
            switch self {
            case .data: nil
            case .end: 0
            case .segmentBase, .linearBase: 2
            case .segmentStart, .linearStart: 4
            }
        }

        /// Whether the record may have an address other than zero. Old tools put the start
        /// address of the program into the end-of-file record.
        var hasAddress: Bool { self == .data || self == .end }

        var name: String {
            switch self {
            case .data: "data"
            case .end: "end"
            case .segmentBase: "extended segment address"
            case .segmentStart: "start segment address"
            case .linearBase: "extended linear address"
            case .linearStart: "start linear address"
            }
        }
    }

    let kind: Kind
    let address: UInt16
    let byteCount: Int
}
