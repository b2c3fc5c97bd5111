import BLEOTA
import Synchronization

extension RuleCheck {
    private static let byteCount = 48 * 1_024

    func transfers() async throws(Finding) {
        let (links, arrivals) = AsyncStream<any Transport>.makeStream()
        arrivals.yield(far)
        let stored = Stored()
        let receiver = FirmwareReceiver(
            at: .transports("the far end", from: links),
            storingIn: MemoryStore(),
            accepting: .anyDevice
        )
        let serving = Probe<Void> {
            // The pushes report errors, so the receiver's own errors are ignored.
            try? await Self.note(receiver.events(), in: stored)
        }
        defer { serving.cancel() }
        for (number, name) in ["first", "second"].enumerated() {
            let firmware = try await Self.firmware(number)
            let push = Probe { [near] in await Self.push(firmware, over: near) }
            switch await push.value(within: options.transferLimit) {
            case .success(firmware.sha256): break
            case .success: throw Finding("The \(name) image arrived with different bytes.")
            case .failure(let error):
                throw Finding("The \(name) of two pushes over one link failed: \(error)")
            case nil:
                push.cancel()
                throw Finding(
                    "The \(name) of two pushes did not end within \(options.transferLimit)."
                )
            }
            let isStored = await polled(within: limit) {
                stored.hashes.withLock { $0.contains(firmware.sha256) } ? true : nil
            }
            if isStored == nil { throw Finding("The receiver did not store the \(name) image.") }
        }
    }

    private final class Stored: Sendable {
        let hashes = Mutex<[[UInt8]]>([])
    }

    private static func note(
        _ events: TransferUpdates<ReceiverEvent, TransferError>,
        in stored: Stored
    ) async throws(TransferError) {
        for try await event in events {
            guard case .stored(let image) = event.kind else { continue }
            stored.hashes.withLock { $0.append(image.sha256) }
        }
    }

    /// Creates an incompressible image that is different for each number.
    private static func firmware(_ number: Int) async throws(Finding) -> Firmware {
        var state = UInt64(number) &+ 0x9e37_79b9_7f4a_7c15
        let bytes = (0..<byteCount).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
        do throws(FirmwareError) {
            return try await Firmware(bytes: bytes, name: "image-\(number)")
        } catch {
            throw Finding("\(error)")
        }
    }

    private static func push(
        _ firmware: Firmware,
        over link: any Transport
    ) async -> Result<[UInt8], TransferError> {
        do throws(TransferError) {
            let report = try await firmware.push(to: .transport("the near end") { KeptLink(link) })
            return .success(report.sha256)
        } catch {
            return .failure(error)
        }
    }
}

/// A link that stays open when a push closes it, so the next push can use it.
private struct KeptLink: Transport {
    private let base: any Transport

    init(_ base: any Transport) { self.base = base }

    var limits: TransportLimits { base.limits }
    var closeReason: CloseReason? { base.closeReason }

    func send(
        _ datagram: [UInt8],
        on channel: Datagram.Channel,
        _ delivery: Datagram.Delivery
    ) async throws(TransportError) {
        try await base.send(datagram, on: channel, delivery)
    }

    func flush() async throws(TransportError) { try await base.flush() }

    func receive() async throws(TransportError) -> [Datagram] { try await base.receive() }

    func close(_ reason: CloseReason) {}
}
