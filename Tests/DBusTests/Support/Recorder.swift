import Synchronization

/// What came in, in its order.
final class Recorder<Element: Sendable>: Sendable {
    private let content = Mutex<[Element]>([])

    var elements: [Element] { content.withLock { $0 } }

    func append(_ element: Element) { content.withLock { $0.append(element) } }

    func removeAll() { content.withLock { $0 = [] } }

    /// Waits until so many are there.
    @discardableResult
    func first(_ count: Int) async throws -> [Element] {
        try await until { self.elements.count >= count }
        return Array(elements.prefix(count))
    }
}

/// Waits until something is so; the time limit of the suite bounds it.
func until(_ condition: () -> Bool) async throws {
    while !condition() { try await Task.sleep(for: .milliseconds(5)) }
}
