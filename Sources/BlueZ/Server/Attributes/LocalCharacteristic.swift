/// A characteristic of a local service.
///
/// ```swift
/// let level = LocalCharacteristic(BluetoothUUID(0x2A19), [.read, .notify], reading: .value([90]))
/// ```
public struct LocalCharacteristic: Sendable {
    /// The characteristic's UUID.
    public let uuid: BluetoothUUID
    /// The permitted operations.
    public let flags: CharacteristicFlags
    /// The way reads are answered.
    public let reading: LocalReading
    /// The way writes are handled.
    public let writing: LocalWriting
    /// The characteristic's descriptors.
    public let descriptors: [LocalDescriptor]

    /// Creates a characteristic. If the flags permit reads, `reading` is required; if not,
    /// `reading` must be `.refused`. The same applies to writes and `writing`.
    public init(
        _ uuid: BluetoothUUID,
        _ flags: CharacteristicFlags,
        reading: LocalReading = .refused,
        writing: LocalWriting = .refused,
        descriptors: [LocalDescriptor] = []
    ) {
        precondition(!flags.names.isEmpty, "a characteristic must have a flag")
        precondition(flags.isDisjoint(with: .readable) == reading.isRefused)
        precondition(flags.isDisjoint(with: .writable) == writing.isRefused)
        if case .socket = writing { precondition(flags.contains(.writeWithoutResponse)) }
        reading.check()
        self.uuid = uuid
        self.flags = flags
        self.reading = reading
        self.writing = writing
        self.descriptors = descriptors
    }
}
