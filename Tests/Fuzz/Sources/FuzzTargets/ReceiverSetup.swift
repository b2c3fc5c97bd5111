import BLEOTACore

/// What a receiver is made with, from the first bytes of an input.
struct ReceiverSetup {
    let options: ReceiverOptions
    let blockMemory: GuardedMemory<UInt8>
    let receipts: GuardedMemory<UInt>

    init(_ input: inout FuzzInput) {
        var options = ReceiverOptions()
        options.controlByteCountMax = 18 + input.choice(62)
        options.leavesPaceToSender = input.byte() & 7 == 7
        options.firstEpoch = Epoch(input.byte())
        self.options = options
        let byteCount = 64 + input.magnitude(bitCountMax: 18)
        blockMemory = GuardedMemory(count: byteCount, filledWith: 0)
        receipts = GuardedMemory(count: 1 << input.choice(9), filledWith: 0)
    }

    var memory: ReceiverMemory {
        ReceiverMemory(
            blocks: UnsafeMutableRawBufferPointer(blockMemory.elements),
            receipts: receipts.elements
        )
    }

    var isMemoryIntact: Bool {
        blockMemory.isIntact && receipts.isIntact
    }
}
