package import FleetModel

/// A number of devices for each state.
package struct StateCounts: Sendable, Hashable {
    private var numbers = [Int](repeating: 0, count: DeviceState.allCases.count)

    package init() {}

    package subscript(_ state: DeviceState) -> Int {
        get { numbers[Self.index(state)] }
        set { numbers[Self.index(state)] = newValue }
    }

    package var total: Int { numbers.reduce(0, +) }
    /// Devices whose job has ended.
    package var ended: Int { self[.updated] + self[.failed] }

    private static func index(_ state: DeviceState) -> Int {
        switch state {
        case .idle: 0
        case .waiting: 1
        case .updating: 2
        case .updated: 3
        case .failed: 4
        }
    }
}
