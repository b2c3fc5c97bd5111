package import BLEOTA

/// A link that carries whole SMP messages in both directions.
///
/// One task sends and receives. Any task may call ``close(_:)``.
package protocol SMPLink: Sendable {
    /// The limits of the link.
    var limits: LinkLimits { get }
    /// The ATT_MTU of the link; on a link other than Bluetooth, the most bytes that it carries at
    /// once.
    var attMTU: Int { get }

    /// Sends one message. Suspends while the link has no room.
    func send(_ packet: [UInt8]) async throws(TransferError)

    /// Waits until at least one message has arrived, then returns all of them in order.
    ///
    /// - Throws: a ``TransferError`` with the code `linkLost` once the link has ended, or
    ///   `cancelled`. A cancelled call loses no message.
    func receive() async throws(TransferError) -> [[UInt8]]

    /// Ends the link.
    func close(_ reason: CloseReason)
}

/// Establishes links to one device that speaks SMP.
package protocol SMPConnector: Sendable {
    /// Establishes a link; closes the previous one first.
    func connect() async throws(TransferError) -> any SMPLink

    /// Waits until the most recent link is down, so that its device is free for others.
    func awaitEnd() async
}

/// The buffers of a device that does not state them: Zephyr's default.
let defaultLimits = BufferLimits(packetByteCountMax: 384, requestCountMax: 1)
