package import BLEOTA
package import FleetModel

/// What a gateway can do with one adapter: hear devices, and push to them.
package protocol Air: Sendable {
    /// The pushes that work at once without slowing each other down; a default for people who
    /// don't know better.
    var usualPlaces: UInt8 { get }

    /// Listens until the task is cancelled, and hands over each device that is heard, as often as
    /// it is heard.
    ///
    /// - Parameter leftOut: called once with a sentence about a device that is there, but says of
    ///   itself what can't be understood.
    /// - Throws: why nothing more can be heard. It may work again later.
    func listen(
        _ heard: @escaping @Sendable (HeardDevice) async -> Void,
        leftOut: @escaping @Sendable (String) async -> Void
    ) async throws(AirError)

    /// Pushes an image, and returns once the device runs it and keeps it, or had it already.
    ///
    /// Cancelling the task stops the push, and leaves on the device what it has stored.
    ///
    /// - Parameter progress: called with more and more bytes.
    func push(
        _ image: Firmware,
        to device: DeviceID,
        progress: @escaping @Sendable (PushProgress) async -> Void
    ) async throws(PushError)

    /// Asks a device for a signed receipt of what it runs.
    ///
    /// - Returns: the receipt, which may be forged; `nil` if the device signs none.
    func receipt(of device: DeviceID, _ nonce: Nonce) async throws(PushError) -> DeviceReceipt?
}

/// How much of an image a device has durably stored, as the image is sent.
package struct PushProgress: Sendable, Hashable {
    package let storedByteCount: UInt64
    package let byteCount: UInt64

    package init(storedByteCount: UInt64, byteCount: UInt64) {
        precondition(storedByteCount <= byteCount)
        self.storedByteCount = storedByteCount
        self.byteCount = byteCount
    }
}

/// Why no device is heard.
package struct AirError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence: what happened, and what to do.
    package let description: String
    /// Whether it makes no sense to try again before somebody has done something.
    package let isPermanent: Bool

    package init(_ description: String, isPermanent: Bool = false) {
        self.description = description
        self.isPermanent = isPermanent
    }
}

/// Why a push ended without success.
package enum PushError: Error, Sendable, Hashable {
    case failed(Failure)
    /// The task was cancelled.
    case stopped
}
