import BLEOTACore
import BLEOTAWire

/// What a receiver is made with, from the first bytes of an input.
struct ReceiverSetup {
    let options: ReceiverOptions
    let blockMemory: GuardedMemory<UInt8>
    let receivedBits: GuardedMemory<UInt>

    init(_ input: inout FuzzInput) {
        var options = ReceiverOptions()
        options.controlByteCountMax = 18 + input.choice(62)
        options.leavesPaceToSender = input.byte() & 7 == 7
        options.firstEpoch = Epoch(input.byte())
        self.options = options
        let byteCount = 64 + input.magnitude(bitCountMax: 18)
        blockMemory = GuardedMemory(count: byteCount, filledWith: 0)
        // Once the most blocks, which the memory says now: what was kept still means the same.
        _ = input.choice(15)
        receivedBits = GuardedMemory(count: 1 << input.choice(9), filledWith: 0)
    }

    var memory: ReceiverMemory {
        ReceiverMemory(
            blocks: UnsafeMutableRawBufferPointer(blockMemory.elements),
            receivedBits: receivedBits.elements
        )
    }

    /// How many of the shortest blocks there is memory for.
    var blockCountMax: Int { blockMemory.elements.count / 16 }

    var isMemoryIntact: Bool {
        blockMemory.isIntact && receivedBits.isIntact
    }
}
