/// The way a local characteristic or descriptor answers reads.
///
/// A value is at most ``byteCountMax`` bytes long, the limit set by Bluetooth.
public enum LocalReading: Sendable {
    /// The maximum length of a value, in bytes.
    public static let byteCountMax = 512

    /// Refuses reads.
    case refused
    /// Answers with a fixed value, until ``PublishedCharacteristic/updateValue(_:)`` replaces it.
    case value([UInt8])
    /// Answers with the result of a handler. The handler returns the whole value, and the requested
    /// part of it is sent. A value that is too long is refused with
    /// ``ATTError/invalidAttributeValueLength``.
    ///
    /// Handlers for one attribute run one at a time. After ``answerDeadline``, the peer receives
    /// ``ATTError/unlikelyError`` and the handler's task is cancelled.
    case answered(@Sendable (ReadRequest) async -> Result<[UInt8], ATTError>)

    /// The time limit for a handler. After 5 seconds, the daemon itself sends an error to the
    /// peer (measured with 5.66) and ignores the handler's result.
    public static let answerDeadline = Duration.milliseconds(4_500)

    var isRefused: Bool { if case .refused = self { true } else { false } }

    /// Traps if a fixed value is too long. This is a programming error.
    func check() {
        guard case .value(let bytes) = self else { return }
        precondition(bytes.count <= Self.byteCountMax, "a value is at most 512 bytes long")
    }
}
