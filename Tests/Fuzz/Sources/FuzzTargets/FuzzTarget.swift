/// What is fuzzed. The raw value is the name of the program, and of its folders of inputs.
public enum FuzzTarget: String, CaseIterable, Sendable {
    /// Every decoder of the wire.
    case frames = "FrameFuzzer"
    /// The sending state machine.
    case sender = "SenderFuzzer"
    /// The receiving state machine.
    case receiver = "ReceiverFuzzer"

    /// Interprets an input.
    ///
    /// - Returns: the first property that did not hold, in words; `nil` if all did.
    public func objection(to bytes: UnsafeRawBufferPointer) -> String? {
        do throws(BrokenProperty) {
            switch self {
            case .frames:
                var run = FrameRun(bytes)
                try run.play()
            case .sender: try SenderRun(bytes).play()
            case .receiver: try ReceiverRun(bytes).play()
            }
            return nil
        } catch {
            return error.description
        }
    }

    /// Interprets an input, and traps if a property does not hold.
    public func demand(_ bytes: UnsafeRawBufferPointer) {
        if let objection = objection(to: bytes) { fatalError(objection) }
    }
}
