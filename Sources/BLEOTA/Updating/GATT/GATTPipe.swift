/// A service of this device with one characteristic for both directions: centrals write to it, and
/// get notifications from it.
package struct GATTPipeService: Sendable, Hashable {
    /// The UUIDs in their long form.
    package let service: String
    package let characteristic: String

    package init(service: String, characteristic: String) {
        self.service = service
        self.characteristic = characteristic
    }
}

/// The link to the central that uses a ``GATTPipeService``.
///
/// One task sends and receives. Any task may call ``close(_:)``.
package protocol GATTPipe: Sendable {
    /// The maximum length of a value that a notification can carry, in bytes.
    var valueByteCountMax: Int { get }

    /// Notifies the central. Waits while the system accepts no more data.
    func send(_ value: [UInt8]) async throws(TransportError)

    /// Waits for writes, and returns all that have arrived, in order.
    func receive() async throws(TransportError) -> [[UInt8]]

    /// Ends the link, but does not disconnect the central.
    func close(_ reason: CloseReason)
}

/// The links to the centrals that use a ``GATTPipeService``, one after another.
package protocol GATTPipeSource: Sendable {
    /// The human-readable name of this device.
    var place: String { get }

    /// Waits for the next central; `nil` once the device stops, or if the task is cancelled.
    func nextPipe() async -> (any GATTPipe)?
}
