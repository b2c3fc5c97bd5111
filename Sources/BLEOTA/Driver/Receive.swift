import BLEOTACore
import BLEOTAWire

/// Serves one link until it ends: receives every image that the peer pushes, and sends every
/// offered image that the peer requests. To serve a listener with any number of peers, use
/// ``serve(listener:into:policy:offering:limits:onEvent:)``.
///
/// ```swift
/// let store = try DirectoryStore(directory: "/var/lib/device")
/// let line = try SerialTransport.open(SerialAddress(path: "/dev/ttyUSB0"))
/// await serve(over: line, into: store) { event in print(event) }
/// ```
///
/// Cancelling the task ends any open session with RESULT, and the function returns. The store
/// keeps the durable part of the image.
///
/// - Parameters:
///   - offers: the images that the peer may request by name.
///   - onEvent: called on a task of the transfer.
package func serve(
    over link: any Transport,
    into store: any ImageStore,
    policy: AcceptancePolicy = AcceptancePolicy(),
    offering offers: [Firmware] = [],
    onEvent: @escaping @Sendable (ReceiverEvent.Kind) -> Void = { _ in }
) async {
    let served = ServedLink(link)
    _ = await served.serve(into: store, policy: policy, offering: offers, onEvent: onEvent)
}

/// Receives one image over a link, and returns when the image is verified and current and the
/// session is over.
///
/// - Throws: a ``TransferError`` if the session or the link ends before the image is current.
package func receive(
    over link: any Transport,
    into store: any ImageStore,
    policy: AcceptancePolicy = AcceptancePolicy(),
    onEvent: @escaping @Sendable (ReceiverEvent.Kind) -> Void = { _ in }
) async throws(TransferError) -> StoredImage {
    let received = OutcomeCollector()
    let driver = try ReceiveDriver(
        over: link,
        scope: .oneSession,
        running: policy.running,
        deviceKey: policy.deviceKey
    ) { event in
        received.note(event)
        onEvent(event)
    }
    return try received.conclude(await driver.run(into: store, policy: policy))
}

/// Requests an image from the peer by name, receives it, and returns when it is verified and
/// current.
///
/// - Throws: a ``TransferError``; its code is `noSuchObject` if the peer offers no image of that
///   name.
package func pull(
    _ name: String,
    over link: any Transport,
    into store: any ImageStore,
    policy: AcceptancePolicy = .anyDevice,
    options: PushOptions = PushOptions(),
    onEvent: @escaping @Sendable (ReceiverEvent.Kind) -> Void = { _ in }
) async throws(TransferError) -> TransferReport {
    var run = PullRun(name, into: store, policy: policy, options: options, onEvent: onEvent)
    return try await run.once(over: link)
}

/// Requests and receives an image as ``pull(_:over:into:policy:options:onEvent:)`` does, and
/// establishes a new link whenever one is lost, as for a push.
package func pull(
    _ name: String,
    through connector: any Connector,
    into store: any ImageStore,
    policy: AcceptancePolicy = .anyDevice,
    options: PushOptions = PushOptions(),
    onEvent: @escaping @Sendable (ReceiverEvent.Kind) -> Void = { _ in }
) async throws(TransferError) -> TransferReport {
    var run = PullRun(name, into: store, policy: policy, options: options, onEvent: onEvent)
    return try await Reconnection.run(
        &run,
        through: connector,
        firstLimit: options.connectionLimit,
        limit: options.reconnectionLimit
    )
}

//= OPEN-9: A sender MUST answer REQUEST with an OPEN that carries the session number of the
//= REQUEST, or with a CLOSE that carries this number and a reason.
/// - Returns: if another REQUEST ended the session, that REQUEST and the datagrams after it;
///   otherwise an empty array.
func offer(
    _ offers: [Firmware],
    to request: ReceiverControl.Request,
    over link: any Transport,
    arrived: [Datagram],
    onEvent: @Sendable (ReceiverEvent.Kind) -> Void
) async -> [Datagram] {
    let asked = offers.first { offer in
        TransferTag(hashing: Array(offer.image.name.utf8)) == request.nameTag
    }
    guard let asked else {
        let close = SenderControl.close(.init(session: request.session, reason: .noSuchObject))
        try? await link.send(close.bytes, on: .control, .withResponse)
        return []
    }
    // Only one variant can be offered, because a REQUEST is answered by a single session.
    var run = PushRun([asked.plainest], options: PushOptions()) { _ in }
    do throws(TransferError) {
        let report = try await run.once(
            over: link,
            session: request.session,
            isAnswer: true,
            arrived: arrived
        )
        onEvent(.served(name: asked.image.name, report))
    } catch {
        onEvent(.servingEnded(name: asked.image.name, error))
    }
    return run.nextRequest
}
