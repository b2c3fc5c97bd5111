import BLEOTACore

/// What the receiver of a tape is.
struct TapeSetup {
    let firstEpoch: Epoch
    let leavesPaceToSender: Bool
    let linkByteCount: Int
    /// The longest image that it takes.
    let freeByteCount: UInt32
    /// The block that its store finds damaged when it first verifies the image; 255 for none.
    let damagedBlock: UInt8
    /// What it asks for at the beginning, if it does.
    let request: (session: SessionNumber, nameTag: TransferTag)?

    /// Reads u8 first epoch, u8 whether it leaves the pace to the sender, u16 byte count of the
    /// link, u32 free byte count, u8 damaged block, u8 whether it requests and if so: u16 session,
    /// u64 name tag.
    init(_ input: inout VectorInput) {
        firstEpoch = Epoch(input.uint8())
        leavesPaceToSender = input.bool()
        linkByteCount = Int(input.uint16())
        freeByteCount = input.uint32()
        damagedBlock = input.uint8()
        request =
            input.bool()
            ? (SessionNumber(input.uint16()), TransferTag(rawValue: input.uint64())) : nil
    }

    var options: ReceiverOptions {
        var options = ReceiverOptions()
        options.firstEpoch = firstEpoch
        options.leavesPaceToSender = leavesPaceToSender
        options.controlByteCountMax = linkByteCount
        return options
    }
}
