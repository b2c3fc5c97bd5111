/// A characteristic of a service of ours.
///
/// ```swift
/// let level = LocalCharacteristic(BluetoothUUID(0x2A19), [.read, .notify], reading: .value([90]))
/// ```
public struct LocalCharacteristic: Sendable {
    /// What it is.
    public let uuid: BluetoothUUID
    /// What can be done with it.
    public let flags: CharacteristicFlags
    /// How it answers reads.
    public let reading: LocalReading
    /// What it does with writes.
    public let writing: LocalWriting
    /// Its descriptors.
    public let descriptors: [LocalDescriptor]

    /// Makes a characteristic. There is a reading if the flags have a read, and a writing if they
    /// have a write.
    public init(
        _ uuid: BluetoothUUID,
        _ flags: CharacteristicFlags,
        reading: LocalReading = .refused,
        writing: LocalWriting = .refused,
        descriptors: [LocalDescriptor] = []
    ) {
        precondition(!flags.names.isEmpty, "a characteristic without flags is good for nothing")
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
