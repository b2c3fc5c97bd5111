/// How a characteristic or a descriptor of ours answers reads.
///
/// A value has at most ``byteCountMax`` bytes, as Bluetooth has it.
public enum LocalReading: Sendable {
    /// The longest value in bytes.
    public static let byteCountMax = 512

    /// Not at all.
    case refused
    /// With this value, until ``PublishedCharacteristic/updateValue(_:)`` gives it another.
    case value([UInt8])
    /// With what the handler returns: the whole value; of that the part is sent which the peer
    /// asks for. A longer value than allowed is refused as
    /// ``ATTError/invalidAttributeValueLength``.
    ///
    /// Handlers of one attribute run one after the other. After ``answerDeadline`` the peer is told
    /// ``ATTError/unlikelyError`` and the handler's task is cancelled.
    case answered(@Sendable (ReadRequest) async -> Result<[UInt8], ATTError>)

    /// How long a handler may take: after 5 seconds the daemon itself tells the peer of an error
    /// (measured with 5.66), and forgets what the handler answers.
    public static let answerDeadline = Duration.milliseconds(4_500)

    var isRefused: Bool { if case .refused = self { true } else { false } }

    /// What is wrong with a value is our own mistake here.
    func check() {
        guard case .value(let bytes) = self else { return }
        precondition(bytes.count <= Self.byteCountMax, "a value has at most 512 bytes")
    }
}
