import DBus

/// What the daemon does with a call.
indirect enum FakeAnswer: Sendable {
    /// What one does that works.
    case usual
    /// It fails, with this name and this text.
    case error(String, String)
    /// It answers this, and does nothing.
    case body([BusValue])
    /// It never answers.
    case silence
    /// What it does otherwise, once the gate is open.
    case held(FakeGate)
    /// First this happens.
    case doing(@Sendable (FakeBlueZ) async throws -> Void, then: FakeAnswer)

    /// An error of the daemon's own.
    static func failed(_ text: String) -> FakeAnswer { .error("org.bluez.Error.Failed", text) }
}
