import BLEOTACore

/// The page of a flash memory in which a store keeps its persistent state. Records are appended;
/// the last record of each kind counts. A record that was torn by a power cut does not match its
/// hash and is ignored.
enum FlashLog {
    struct Record: Equatable {
        enum Kind: UInt32 {
            /// A transfer has begun: its manifest and some blocks of its image may be stored.
            case begun = 1
            /// An image is current.
            case current = 2
        }

        let kind: Kind
        let tag: UInt64
        /// The length of the manifest in a record of kind `begun`, or of the image in one of kind
        /// `current`.
        let byteCount: UInt32
        /// The slot that contains the image, 0 or 1.
        var slot: UInt32 = 0
    }

    static let page = 0
    private static let recordByteCount = 28
    /// The distance between records: a whole number of words, because a word can be programmed
    /// only once.
    private static func stride(_ settings: FlashSettings) -> Int {
        let word = settings.wordByteCount
        return (recordByteCount + word - 1) / word * word
    }

    /// The last record of a kind.
    static func last(_ kind: Record.Kind, in flash: FlashModel) -> Record? {
        places(in: flash).reversed().lazy.compactMap { record(at: $0, in: flash) }
            .first { $0.kind == kind }
    }

    /// The operation that appends a record. A page of 4 KiB has room for more than 100 records,
    /// and a transfer appends two.
    static func adding(_ record: Record, to flash: FlashModel) -> FlashModel.Operation {
        let places = places(in: flash)
        let used = places.lastIndex { !flash.readsErased($0) } ?? -1
        precondition(used + 1 < places.count, "the log is full")
        return .program(address: places[used + 1].lowerBound, bytes: encoded(record))
    }

    private static func places(in flash: FlashModel) -> [Range<Int>] {
        let stride = stride(flash.settings)
        return (0..<flash.settings.pageByteCount / stride).map {
            $0 * stride..<$0 * stride + recordByteCount
        }
    }

    private static func encoded(_ record: Record) -> [UInt8] {
        var bytes: [UInt8] = []
        func append(_ number: UInt64, _ byteCount: Int) {
            for index in 0..<byteCount {
                bytes.append(UInt8(truncatingIfNeeded: number &>> UInt64(8 * index)))
            }
        }
        append(UInt64(record.kind.rawValue), 4)
        append(UInt64(record.slot), 4)
        append(UInt64(record.byteCount), 4)
        append(record.tag, 8)
        append(InMemoryTransfer.hash(bytes[...]), 8)
        return bytes
    }

    private static func record(at place: Range<Int>, in flash: FlashModel) -> Record? {
        let bytes = Array(flash[place])
        func number(_ offset: Int, _ byteCount: Int) -> UInt64 {
            (0..<byteCount).reduce(0) { $0 | UInt64(bytes[offset + $1]) &<< UInt64(8 * $1) }
        }
        guard InMemoryTransfer.hash(bytes[..<20]) == number(20, 8),
            let kind = Record.Kind(rawValue: UInt32(number(0, 4)))
        else { return nil }
        return Record(
            kind: kind,
            tag: number(12, 8),
            byteCount: UInt32(number(8, 4)),
            slot: UInt32(number(4, 4))
        )
    }
}
