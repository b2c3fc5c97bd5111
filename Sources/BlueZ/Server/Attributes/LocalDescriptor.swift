/// A descriptor of a characteristic of ours. The one that switches notifications on is the daemon's
/// business.
public struct LocalDescriptor: Sendable {
    /// What it is.
    public let uuid: BluetoothUUID
    /// What can be done with it.
    public let flags: DescriptorFlags
    /// How it answers reads.
    public let reading: LocalReading
    /// What it does with writes.
    public let writing: LocalWriting

    /// Makes a descriptor. There is a reading if the flags have a read, and a writing if they
    /// have a write.
    public init(
        _ uuid: BluetoothUUID,
        _ flags: DescriptorFlags = .read,
        reading: LocalReading = .refused,
        writing: LocalWriting = .refused
    ) {
        precondition(!flags.names.isEmpty, "a descriptor without flags is good for nothing")
        precondition(flags.isDisjoint(with: .readable) == reading.isRefused)
        precondition(flags.isDisjoint(with: .writable) == writing.isRefused)
        reading.check()
        self.uuid = uuid
        self.flags = flags
        self.reading = reading
        self.writing = writing
    }
}
