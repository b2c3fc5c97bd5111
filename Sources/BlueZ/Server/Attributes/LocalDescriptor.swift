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

    /// Creates a descriptor. If the flags permit reads, `reading` is required; if not, `reading`
    /// must be `.refused`. The same applies to writes and `writing`.
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
