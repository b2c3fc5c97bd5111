import BLEOTACore

/// The page of a flash in which a store notes what it must not forget: records one after the other,
/// of which the last of a kind counts. One that a power cut tore does not have its hash, and is
/// none.
enum FlashLog {
    struct Record: Equatable {
        enum Kind: UInt32 {
            /// A transfer is begun: its manifest may be in its place, and of its image some blocks.
            case begun = 1
            /// An image is current.
            case current = 2
        }

        let kind: Kind
        let tag: UInt64
        /// Of the manifest of a transfer that is begun, of an image that is current.
        let byteCount: UInt32
        /// Which of two places the image is in.
        var slot: UInt32 = 0
    }

    static let page = 0
    private static let recordByteCount = 28
    /// A record begins with the longest word, so that no two are programmed at once.
    private static func stride(_ settings: FlashSettings) -> Int {
        let word = settings.wordByteCount
        return (recordByteCount + word - 1) / word * word
    }

    /// The last record of a kind.
    static func last(_ kind: Record.Kind, in flash: FlashModel) -> Record? {
        places(in: flash).reversed().lazy.compactMap { record(at: $0, in: flash) }
            .first { $0.kind == kind }
    }

    /// What to program to add a record. There is room for a hundred, and a transfer adds two.
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
