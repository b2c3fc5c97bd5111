/// Why a simulated device can't work: its folder, its store or its socket.
package struct SimulationError: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
