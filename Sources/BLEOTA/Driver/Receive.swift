import BLEOTACore
import BLEOTAWire

/// Serves one link until it ends: receives every image that the peer pushes, and sends every
/// offered one that the peer asks for. For a listener with any number of peers there is
/// ``serve(listener:into:policy:offering:limits:onEvent:)``.
///
/// ```swift
/// let store = try DirectoryStore(directory: "/var/lib/device")
/// let line = try SerialTransport.open(SerialAddress(path: "/dev/ttyUSB0"))
/// await serve(over: line, into: store) { event in print(event) }
/// ```
///
/// Cancelling the task ends a session with RESULT and returns; what is durable stays.
///
/// - Parameters:
///   - offers: what a peer may ask for, by the names of the images.
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

/// Receives one image over a link, and returns when it is verified and current and the sender
/// knows.
///
/// - Throws: a ``TransferError`` when the session ends otherwise, or the link does.
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
        running: policy.running
    ) { event in
        received.note(event)
        onEvent(event)
    }
    return try received.conclude(await driver.run(into: store, policy: policy))
}

/// Asks the peer for an image by its name, receives it and returns when it is verified and current.
///
/// - Throws: a ``TransferError``; `noSuchObject` when the peer offers nothing under that name.
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

/// The same over links that are made again when they are lost, as for a push.
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

//= OPEN-9: A sender MUST answer REQUEST with an OPEN that carries the same session number, or with
//= CLOSE and a reason.
/// - Returns: what arrived from another REQUEST on, if one ended the session; else nothing.
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
    // In its last form: there is no second session in which another could be offered.
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
