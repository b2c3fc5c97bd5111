import BLEOTA
import BlueZ
import DBus
import Synchronization

/// Offers the service of another protocol in addition to bleota's, to one central at a time.
final class PipeServer: Sendable {
    /// Another central takes over if it writes after this time without a write by the current one.
    private static let silenceLimit = Duration.seconds(30)

    private struct State {
        var characteristic: PublishedCharacteristic?
        var link: PipeLink?
    }

    let service: BluetoothUUID
    private let characteristic: BluetoothUUID
    private let attMTUMax: Int
    private let security: LinkSecurity
    private let state = Mutex(State())
    private let accepted: AsyncStream<PipeLink>
    private let newLinks: AsyncStream<PipeLink>.Continuation

    init(_ pipe: GATTPipeService, attMTUMax: Int, _ security: LinkSecurity) {
        service = BluetoothUUID(pipe.service)!
        characteristic = BluetoothUUID(pipe.characteristic)!
        self.attMTUMax = attMTUMax
        self.security = security
        (accepted, newLinks) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    var localService: LocalService {
        LocalService(
            service,
            characteristics: [
                LocalCharacteristic(
                    characteristic,
                    security.controlFlags.union([.write, .writeWithoutResponse, .notify]),
                    // Not over a socket, which may lose writes: the protocol does not repair
                    // losses.
                    writing: .stream { [weak self] in self?.take($0) }
                )
            ]
        )
    }

    /// Accepts writes from now on.
    func begin(_ application: GATTApplication) {
        let published = application.characteristic(characteristic, of: service)
        state.withLock { $0.characteristic = published }
    }

    /// Takes a write to the characteristic. Called on the bus's thread.
    private func take(_ request: WriteRequest) {
        let (link, replaced, isNew) = state.withLock { state -> (PipeLink?, PipeLink?, Bool) in
            if let link = state.link, !link.isClosed {
                if link.device == request.device { return (link, nil, false) }
                if link.silence < Self.silenceLimit { return (nil, nil, false) }
            }
            guard let characteristic = state.characteristic else { return (nil, nil, false) }
            let link = PipeLink(
                characteristic,
                request.device,
                attMTU: min(request.mtu ?? 23, attMTUMax)
            )
            defer { state.link = link }
            return (link, state.link, true)
        }
        replaced?.close(.local)
        link?.take(request.value)
        if isNew, let link { newLinks.yield(link) }
    }

    /// Closes the link if it is the link to this central; `nil` closes it in any case.
    func lose(_ device: ObjectPath?, _ reason: CloseReason) {
        let link = state.withLock { state -> PipeLink? in
            guard device == nil || state.link?.device == device else { return nil }
            return state.link.take()
        }
        link?.close(reason)
    }

    func next() async -> PipeLink? {
        var links = accepted.makeAsyncIterator()
        return await links.next()
    }

    func stop() {
        newLinks.finish()
        lose(nil, .local)
    }
}
