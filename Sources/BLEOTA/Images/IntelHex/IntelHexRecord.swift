/// One record of Intel HEX text whose length and checksum are right; its data is in the reader.
struct IntelHexRecord {
    enum Kind: UInt8 {
        case data = 0
        case end = 1
        case segmentBase = 2
        case segmentStart = 3
        case linearBase = 4
        case linearStart = 5

        /// How many data bytes the record has; `nil` where it may have any number.
        var fixedByteCount: Int? {
            switch self {
            case .data: nil
            case .end: 0
            case .segmentBase, .linearBase: 2
            case .segmentStart, .linearStart: 4
            }
        }

        /// Old tools put the start address of the program into the end record, so only the others
        /// must leave the address alone.
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
