import BLEOTACore
import BLEOTAWire
import Synchronization

@testable import BLEOTA

/// Notes the sessions that are opened over the links of another connector, each once.
final class OpensConnector: Connector {
    private let base: any Connector
    private let noted = Mutex<[UInt16]>([])

    init(_ base: any Connector) { self.base = base }

    var sessions: [UInt16] { noted.withLock { $0 } }

    func connect() async throws(TransferError) -> any Transport {
        Link(base: try await base.connect(), connector: self)
    }

    private func note(_ datagram: [UInt8]) {
        guard case .open(let open)? = try? SenderControl(decoding: datagram.span.bytes) else {
            return
        }
        noted.withLock { noted in
            if noted.last != open.session.rawValue { noted.append(open.session.rawValue) }
        }
    }

    private struct Link: WindowedTransport {
        let base: any Transport
        let connector: OpensConnector

        var limits: TransportLimits { base.limits }
        var closeReason: CloseReason? { base.closeReason }

        func send(
            _ datagram: [UInt8],
            on channel: Datagram.Channel,
            _ delivery: Datagram.Delivery
        ) async throws(TransportError) {
            if channel == .control { connector.note(datagram) }
            try await base.send(datagram, on: channel, delivery)
        }

        func flush() async throws(TransportError) { try await base.flush() }

        func receive() async throws(TransportError) -> [Datagram] {
            try await base.receive()
        }

        func acknowledged(byteCount: Int) {
            (base as? any WindowedTransport)?.acknowledged(byteCount: byteCount)
        }

        func close(_ reason: CloseReason) { base.close(reason) }
    }
}
