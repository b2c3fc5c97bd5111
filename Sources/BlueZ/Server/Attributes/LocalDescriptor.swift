/// A descriptor of a local characteristic. The daemon itself provides the descriptor that enables
/// notifications.
public struct LocalDescriptor: Sendable {
    /// The descriptor's UUID.
    public let uuid: BluetoothUUID
    /// The permitted operations.
    public let flags: DescriptorFlags
    /// The way reads are answered.
    public let reading: LocalReading
    /// The way writes are handled.
    public let writing: LocalWriting

    /// Creates a descriptor. Flags that permit reads require `reading`, and flags that permit
    /// writes require `writing`; otherwise, the respective argument must be `.refused`.
    public init(
        _ uuid: BluetoothUUID,
        _ flags: DescriptorFlags = .read,
        reading: LocalReading = .refused,
        writing: LocalWriting = .refused
    ) {
        precondition(!flags.names.isEmpty, "a descriptor must have a flag")
        precondition(flags.isDisjoint(with: .readable) == reading.isRefused)
        precondition(flags.isDisjoint(with: .writable) == writing.isRefused)
        reading.check()
        self.uuid = uuid
        self.flags = flags
        self.reading = reading
        self.writing = writing
    }
}
