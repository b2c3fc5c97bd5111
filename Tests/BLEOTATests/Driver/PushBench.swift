import BLEOTATestSupport
import Synchronization

@testable import BLEOTA

/// An image of random bytes and all that it takes to push it.
struct RandomImage: Sendable {
    let bytes: [UInt8]
    let prepared: Firmware

    init(seed: UInt64, byteCount: Int, name: String = "image.bin") {
        var random = TestSeed(seed)
        bytes = random.bytes(byteCount)
        // An image in memory can't fail to be read.
        prepared = try! Firmware(FirmwareFile(bytes: bytes, name: name))
    }
}

/// What a receiver told its application.
final class EventLog: Sendable {
    private let state = Mutex<[ReceiverEvent.Kind]>([])

    func note(_ event: ReceiverEvent.Kind) { state.withLock { $0.append(event) } }

    var errors: [TransferError] {
        state.withLock { events in
            events.compactMap { event in
                switch event {
                case .ended(let error), .servingEnded(_, let error): error
                default: nil
                }
            }
        }
    }

    /// A word for each event but progress.
    var words: [String] {
        state.withLock { events in
            events.compactMap { event in
                switch event {
                case .started(_, let byte): byte == 0 ? "started" : "resumed"
                case .listening, .progress: nil
                case .stored: "stored"
                case .alreadyCurrent: "alreadyCurrent"
                case .ended: "ended"
                case .served: "served"
                case .servingEnded: "servingEnded"
                }
            }
        }
    }
}

/// Pushes an image from the first end of a link to a server at the second, and ends the link.
func pushing(
    _ image: Firmware,
    over link: (any Transport, any Transport),
    into store: any ImageStore,
    options: PushOptions = PushOptions(),
    policy: AcceptancePolicy = AcceptancePolicy(),
    log: EventLog = EventLog(),
    onProgress: @escaping @Sendable (BLEOTA.TransferProgress) -> Void = { _ in }
) async throws(TransferError) -> TransferReport {
    // A task of its own: cancelling the push must not cancel the receiver as well.
    let served = Task { await serve(over: link.1, into: store, policy: policy, onEvent: log.note) }
    do throws(TransferError) {
        let report = try await push(image, over: link.0, options: options, onProgress: onProgress)
        link.0.close(.local)
        await served.value
        return report
    } catch {
        link.0.close(.local)
        await served.value
        throw error
    }
}

func loopback(attMTU: Int = 247) -> (any Transport, any Transport) {
    LoopbackTransport.makePair(limits: TransportLimits(attMTU: attMTU))
}

/// The error of an attempt, or `nil` if it succeeded.
func transferError<Value>(
    _ attempt: () async throws(TransferError) -> Value
) async -> TransferError? {
    do throws(TransferError) {
        _ = try await attempt()
        return nil
    } catch {
        return error
    }
}

extension PushOptions {
    /// Slow enough for something to happen in the middle: 16 chunks in 4 ms.
    static var slow: PushOptions {
        var options = PushOptions()
        options.window = .burst(chunkCount: 16, pause: .milliseconds(4))
        return options
    }

    /// Gives up a silent peer after a third of a second.
    static var impatientWithSilence: PushOptions {
        var options = PushOptions()
        options.silenceLimit = .milliseconds(333)
        return options
    }

    /// Gives up a peer that doesn't get on after a third of a second.
    static var impatientForProgress: PushOptions {
        var options = PushOptions()
        options.progressLimit = .milliseconds(333)
        return options
    }
}

/// What somebody waits for until somebody else says it.
final class Signal: Sendable {
    private let wakeup = AsyncSignal()

    func send() { wakeup.call() }

    func wait() async { await wakeup.wait() }
}
