import BLEOTA
import BLEOTATestSupport
import SystemPackage

/// A ``ScriptedReceiver`` at a socket, for one link after the other.
final class FakeReceiver: Sendable {
    private let listener: SocketListener
    private let task: Task<Void, Never>

    init(
        at path: String,
        of byteCount: Int,
        from stage: ScriptedReceiver.Stage,
        _ manner: ScriptedReceiver.Manner
    ) throws {
        let listener = try SocketListener(path: FilePath(path))
        self.listener = listener
        task = Task {
            while let link = try? await listener.accept() {
                _ = await ScriptedReceiver(of: byteCount, from: stage, manner).run(over: link)
                link.close(.local)
            }
        }
    }

    deinit {
        listener.close()
        task.cancel()
    }
}
