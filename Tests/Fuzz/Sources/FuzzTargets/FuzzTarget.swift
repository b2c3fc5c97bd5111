import Dispatch

/// What is fuzzed. The raw value is the name of the program, and of its folders of inputs.
public enum FuzzTarget: String, CaseIterable, Sendable {
    /// Every decoder of the wire.
    case frames = "FrameFuzzer"
    /// The sending state machine.
    case sender = "SenderFuzzer"
    /// The receiving state machine.
    case receiver = "ReceiverFuzzer"
    /// A whole device that trusts a key, against a sender without it.
    case hostile = "HostileFuzzer"

    /// Interprets an input.
    ///
    /// - Returns: the first property that did not hold, in words; `nil` if all did.
    public func objection(to bytes: [UInt8]) async -> String? {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        defer { copy.deallocate() }
        copy.copyBytes(from: bytes)
        let input = UnsafeRawBufferPointer(copy)
        do throws(BrokenProperty) {
            if self == .hostile {
                var run = HostileRun(input)
                try await run.play()
            } else {
                try play(input)
            }
            return nil
        } catch {
            return error.description
        }
    }

    /// Interprets an input, and traps if a property does not hold. Not for a task: it blocks.
    public func demand(_ bytes: UnsafeRawBufferPointer) {
        guard self != .hostile else {
            let input = Array(bytes)
            let done = DispatchSemaphore(value: 0)
            Task.detached {
                if let objection = await objection(to: input) { fatalError(objection) }
                done.signal()
            }
            done.wait()
            return
        }
        do throws(BrokenProperty) {
            try play(bytes)
        } catch {
            fatalError(error.description)
        }
    }

    /// Those that need no task.
    private func play(_ bytes: UnsafeRawBufferPointer) throws(BrokenProperty) {
        switch self {
        case .frames:
            var run = FrameRun(bytes)
            try run.play()
        case .sender: try SenderRun(bytes).play()
        case .receiver: try ReceiverRun(bytes).play()
        case .hostile: preconditionFailure("a device needs tasks")
        }
    }
}
