import BLEOTACore

/// The checksum over a pseudo-header and a frame is the one that is sent, or is not.
enum ChecksumVector {
    static func read(_ input: inout VectorInput, _ reading: inout Reading) {
        var checksum = Checksum()
        checksum.update(input.counted().bytes)
        checksum.update(input.counted().bytes)
        let sent = input.counted()
        let isSent =
            sent.count == 2 && UInt16(sent[0]) | UInt16(sent[1]) << 8 == checksum.value
        guard isSent else {
            reading.note(Int(checksum.value))
            reading.say("wrong")
            return
        }
        reading.say("right")
        reading.field("checksum", checksum.value)
    }
}
