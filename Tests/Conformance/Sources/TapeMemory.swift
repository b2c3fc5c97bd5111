import BLEOTACore

/// The memory of a receiver and its store, for the small objects of the tapes.
struct TapeMemory {
    /// For the one block of a manifest, and for more than one of an image.
    static var blocksByteCount: Int { ObjectPlan.manifestBlockByteCount }
    static var objectByteCountMax: Int { 768 }
    static var mapWordCount: Int { 4 }

    let receiver: ReceiverMemory
    let manifest: UnsafeMutableRawBufferPointer
    let image: UnsafeMutableRawBufferPointer
    let map: UnsafeMutableBufferPointer<UInt>
    private let used: UnsafeMutableRawBufferPointer

    /// Takes the beginning of `room`, which is zeros, aligned to 8 bytes.
    init(_ room: UnsafeMutableRawBufferPointer) {
        var rest = room
        func allocate(_ byteCount: Int) -> UnsafeMutableRawBufferPointer {
            precondition(byteCount <= rest.count, "there is no room for a receiver")
            defer { rest = UnsafeMutableRawBufferPointer(rebasing: rest[byteCount...]) }
            return UnsafeMutableRawBufferPointer(rebasing: rest[..<byteCount])
        }
        let receivedWordCount = ReceiverMemory.receivedWordCount(
            slotCount: 1,
            blockByteCount: Self.blocksByteCount
        )
        receiver = ReceiverMemory(
            blocks: allocate(Self.blocksByteCount),
            receivedBits: allocate(receivedWordCount * MemoryLayout<UInt>.size).bindMemory(
                to: UInt.self
            )
        )
        map = allocate(Self.mapWordCount * MemoryLayout<UInt>.size).bindMemory(to: UInt.self)
        manifest = allocate(Self.objectByteCountMax)
        image = allocate(Self.objectByteCountMax)
        used = UnsafeMutableRawBufferPointer(rebasing: room[..<(room.count - rest.count)])
    }

    func clear() { for index in used.indices { used[index] = 0 } }
}
