package import BLEOTA
import BLEOTACore

/// Sends one request after another to a device over one link.
package struct SMPClient: Sendable {
    /// How long a device may take to erase a slot.
    package static let eraseLimit = Duration.seconds(60)

    private let link: any SMPLink
    private let limit: Duration

    /// - Parameter limit: how long a device may take to answer.
    package init(_ link: any SMPLink, limit: Duration) {
        self.link = link
        self.limit = limit
    }

    /// Sends a request and returns the reply, which may report an error.
    ///
    /// - Throws: a ``TransferError`` with the code `silent` if the device does not answer.
    package func ask(_ request: SMPRequest) async throws(TransferError) -> SMPReply {
        let clock = MonotonicClock.ofProcess
        var exchange = SMPExchange()
        let start = clock.now
        exchange.ask(request, at: start)
        let limit = Microseconds(MonotonicClock.microseconds(limit(for: request)))
        while true {
            let now = clock.now
            if let (request, sequence) = exchange.takeDue(at: now) {
                try await link.send(request.packet(sequence: sequence))
            }
            let next = min(exchange.deadline ?? .never, start + limit)
            let pause = min((next - now).rawValue, MonotonicClock.heartbeat.rawValue)
            let arrived = try await Waiting.first(within: .microseconds(max(pause, 0))) {
                () throws(TransferError) in try await link.receive()
            }
            for packet in arrived ?? [] {
                if let reply = SMPReply(packet), exchange.take(reply) != nil { return reply }
            }
            if clock.now >= start + limit { throw TransferError(.silent) }
        }
    }

    private func limit(for request: SMPRequest) -> Duration {
        if case .erase = request { max(limit, Self.eraseLimit) } else { limit }
    }

    /// Sends a request, and returns the reply unless it reports an error.
    ///
    /// - Throws: a ``TransferError`` with the code `refused` if the reply reports an error, or with
    ///   the code `silent` if no reply arrives in time; or an error of the link.
    package func require(
        _ request: SMPRequest,
        _ purpose: SMPRequestPurpose
    ) async throws(TransferError) -> SMPReply {
        let reply = try await ask(request)
        if let error = reply.error { throw TransferError(smp: .refused(error, purpose)) }
        return reply
    }

    /// The images in the device's slots.
    package func images() async throws(TransferError) -> ImageList {
        guard let list = ImageList(try await require(.imageState, .images)) else {
            throw TransferError(smp: .notUnderstood("an image list without images"))
        }
        return list
    }
}
