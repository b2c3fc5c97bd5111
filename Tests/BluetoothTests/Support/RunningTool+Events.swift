import BLEOTATestSupport

/// The events of a program that prints one in each line, as JSON.
extension RunningTool {
    /// Waits until something has happened so many times since the program was started.
    func happens(_ name: String, times count: Int = 1) async throws {
        // On a busy machine a program in Python takes long to start.
        try await wait(for: "\(count) of the event \(name)", within: 120) {
            events(name).count >= count
        }
    }

    func events(_ name: String) -> [Event] {
        Event.all(in: output).filter { $0.name == name }
    }
}
