import Synchronization

@testable import DBus

/// An object that does with each call what the test says, and keeps the calls.
final class ScriptedObject: BusObject {
    let calls = Recorder<IncomingCall>()
    private let script: @Sendable (IncomingCall) -> Void

    init(_ script: @escaping @Sendable (IncomingCall) -> Void) { self.script = script }

    func take(_ call: IncomingCall) {
        script(call)
        calls.append(call)
    }

    /// Answers with what it is called with.
    static func echoing() -> ScriptedObject { ScriptedObject { $0.reply($0.message.body) } }

    /// Answers nothing by itself.
    static func silent() -> ScriptedObject { ScriptedObject { _ in } }
}
