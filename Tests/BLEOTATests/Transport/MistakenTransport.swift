import BLEOTATransportTesting
import Synchronization

@testable import BLEOTA

/// A mistake that authors of transports make.
enum Mistake: String, CaseIterable {
    case sendsEmptyDatagrams, cutsWhatIsTooLarge, carriesLessThanItSays
    case repeatsDatagrams, mixesChannels, handsOutOneByOne
    case neverSuspends, sendIgnoresCancellation
    case flushesEarly
    case receivesFromStream, losesAtCancellation, receiveIgnoresCancellation
    case returnsNothingWhenCancelled
    case closesNothing, keepsLastReason, forgetsAtClose

    /// The rules that this mistake breaks.
    var rules: [TransportRule] {
        switch self {
        case .sendsEmptyDatagrams, .cutsWhatIsTooLarge: [.refusals]
        case .carriesLessThanItSays: [.sizes]
        case .repeatsDatagrams, .mixesChannels: [.delivery]
        case .handsOutOneByOne: [.batches]
        case .neverSuspends: [.backPressure]
        case .sendIgnoresCancellation: [.backPressure, .cancelledTask]
        case .flushesEarly: [.flush]
        case .receivesFromStream: [.cancelledReceive, .transfers]
        case .losesAtCancellation, .receiveIgnoresCancellation: [.cancelledReceive]
        case .returnsNothingWhenCancelled: [.cancelledTask]
        case .closesNothing: [.closeEndsReceive, .closeEndsSend, .reason]
        case .keepsLastReason: [.reason]
        case .forgetsAtClose: [.arrivedBeforeClose]
        }
    }
}

/// An end of a link in memory, with a mistake.
final class MistakenTransport: Transport {
    private let base: any Transport
    private let mistake: Mistake
    /// What waits for a receiver that gets one at a time.
    private let waiting = Mutex<[Datagram]>([])
    private let lastReason = Mutex<CloseReason?>(nil)
    private let (outbound, sending) = AsyncStream<Datagram>.makeStream()
    private let (inbound, arriving) = AsyncStream<[Datagram]>.makeStream()
    private let tasks = Mutex<[Task<Void, any Error>]>([])

    init(_ base: any Transport, _ mistake: Mistake) {
        self.base = base
        self.mistake = mistake
        if mistake == .neverSuspends || mistake == .flushesEarly {
            let forwarding = Task { @concurrent [outbound] in
                for await datagram in outbound {
                    try await Task.sleep(for: .milliseconds(5))
                    try await base.send(datagram.bytes, on: datagram.channel, .withoutResponse)
                }
            }
            tasks.withLock { $0.append(forwarding) }
        }
        if mistake == .receivesFromStream {
            let reading = Task { @concurrent [arriving] in
                defer { arriving.finish() }
                while true { arriving.yield(try await base.receive()) }
            }
            tasks.withLock { $0.append(reading) }
        }
    }

    deinit {
        for task in tasks.withLock({ $0 }) { task.cancel() }
        base.close(.local)
    }

    static func makePair(_ mistake: Mistake) -> (any Transport, any Transport) {
        let (a, b) = LoopbackTransport.makePair(
            limits: TransportLimits(attMTU: 247),
            transmitWindow: 64
        )
        return (MistakenTransport(a, mistake), MistakenTransport(b, mistake))
    }

    var limits: TransportLimits { base.limits }

    func send(
        _ datagram: [UInt8],
        on channel: Datagram.Channel,
        _ delivery: Datagram.Delivery
    ) async throws(TransportError) {
        switch mistake {
        case .sendsEmptyDatagrams where datagram.isEmpty: return
        case .cutsWhatIsTooLarge:
            let cut = Array(datagram.prefix(limits.byteCountMax(on: channel)))
            try await base.send(cut, on: channel, delivery)
        case .carriesLessThanItSays:
            try await base.send(Array(datagram.prefix(200)), on: channel, delivery)
        case .repeatsDatagrams:
            try await base.send(datagram, on: channel, delivery)
            try await base.send(datagram, on: channel, .withoutResponse)
        case .mixesChannels: try await base.send(datagram, on: .data, delivery)
        case .neverSuspends, .flushesEarly:
            sending.yield(Datagram(channel: channel, bytes: datagram))
        case .sendIgnoresCancellation:
            let base = base
            let result = await Task { @concurrent () async -> TransportError? in
                do throws(TransportError) {
                    try await base.send(datagram, on: channel, delivery)
                    return nil
                } catch {
                    return error
                }
            }.value
            if let result { throw result }
        default: try await base.send(datagram, on: channel, delivery)
        }
    }

    func flush() async throws(TransportError) {
        if mistake != .flushesEarly { try await base.flush() }
    }

    func receive() async throws(TransportError) -> [Datagram] {
        switch mistake {
        case .handsOutOneByOne:
            if waiting.withLock({ $0.isEmpty }) {
                let arrived = try await base.receive()
                waiting.withLock { $0 += arrived }
            }
            return waiting.withLock { [$0.removeFirst()] }
        case .receivesFromStream:
            for await arrived in inbound { return arrived }
            throw .closed(closeReason ?? .remote)
        case .losesAtCancellation, .receiveIgnoresCancellation:
            let base = base
            let isDeaf = mistake == .receiveIgnoresCancellation
            let taking = Task { @concurrent () async -> Result<[Datagram], TransportError> in
                do throws(TransportError) {
                    return .success(try await base.receive())
                } catch {
                    return .failure(error)
                }
            }
            let result = await taking.value
            if Task.isCancelled && !isDeaf { throw .cancelled }
            return try result.get()
        case .returnsNothingWhenCancelled:
            do throws(TransportError) {
                return try await base.receive()
            } catch .cancelled {
                return []
            }
        case .forgetsAtClose:
            if let reason = closeReason { throw .closed(reason) }
            return try await base.receive()
        default: return try await base.receive()
        }
    }

    func close(_ reason: CloseReason) {
        lastReason.withLock { $0 = reason }
        if mistake != .closesNothing { base.close(reason) }
    }

    var closeReason: CloseReason? {
        mistake == .keepsLastReason ? lastReason.withLock { $0 } : base.closeReason
    }
}
