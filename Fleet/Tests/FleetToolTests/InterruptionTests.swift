import Glibc
import Testing

@testable import FleetTool

@Suite("Signals to the tool")
struct InterruptionTests {
    /// They were ignored until Dispatch listened: devices that were stopped as they started ran on.
    @Test("No signal is ignored before it is listened to")
    func noneLost() {
        for _ in 0..<20 {
            let interruption = Interruption(cancelling: Task { nil })
            defer { interruption.end() }
            var action = sigaction()
            sigaction(SIGTERM, nil, &action)
            let handler = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            #expect(handler != unsafeBitCast(SIG_IGN, to: Int.self))
        }
    }
}
