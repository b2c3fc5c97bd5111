public import Logging

/// Receives images from concurrent peers and keeps them in a store.
///
/// Many links can be open at the same time: at most 256, and at most one for every four
/// descriptors that the process may open. A link without a transfer is closed if another peer
/// needs its place, and also after 60 seconds, except on a serial line or Bluetooth. The store
/// receives one image at a time. If several peers push, they take turns: after half a second or
/// more, the turn passes to another peer, and the interrupted transfer ends with the code `refused`
/// and the refusal `busy`. Its sender waits and resumes from the stored data, so every transfer
/// completes in the end, and no stored data is sent again.
public struct FirmwareReceiver: Sendable {
    private let endpoint: Endpoint
    private let store: any ImageStore
    private let policy: AcceptancePolicy
    private let served: [Firmware]

    /// The logger of the receiver. Transfers are logged at `info`, progress at `trace`, and
    /// failures of peers at `notice`, with the metadata `peer`. Default: none.
    public var logger: Logger?
    /// A closure that returns the image that the device runs, for peers that query it. The closure
    /// is called for each query and must return immediately. Default: unknown.
    public var running: @Sendable () -> RunningImage = { .unknown }
    /// The private key with which this device, and no other, signs receipts for peers that ask
    /// (``Target/receipt(nonce:)``). Default: none.
    public var deviceKey: SigningKey?

    /// Creates a receiver, which does not serve peers yet.
    ///
    /// - Parameters:
    ///   - endpoint: the place where peers connect.
    ///   - store: the store for incoming images. No other receiver, in any process, may use it
    ///     at the same time.
    ///   - policy: the rules for accepting images.
    ///   - served: the images that peers may pull, each under its name.
    public init(
        at endpoint: Endpoint,
        storingIn store: any ImageStore,
        accepting policy: AcceptancePolicy,
        serving served: [Firmware] = []
    ) {
        self.endpoint = endpoint
        self.store = store
        self.policy = policy
        self.served = served
    }

    /// Serves peers and reports events while the sequence is iterated.
    ///
    /// Cancelling the task that iterates ends the sequence without an error, after the peers
    /// have been notified. Their pushes end with the refusal `cancelled`, which is retryable; if
    /// the process crashes instead, the peers reconnect by themselves. The sequence throws if
    /// the endpoint can't be opened, if peers can no longer connect, or if the store's directory
    /// is lost.
    public func events() -> TransferUpdates<ReceiverEvent, TransferError> {
        TransferUpdates { sink in
            do throws(TransferError) {
                try await serve { event in
                    sink.yield(event, replacing: event.progressKey)
                }
                return .success(())
            } catch {
                return error.problem == .cancelled ? .success(()) : .failure(error)
            }
        }
    }

    /// Serves peers until the task is cancelled. The same as ``events()`` for an application
    /// that does not need the events, such as a service that only logs.
    ///
    /// - Throws: a ``TransferError`` if the endpoint can't be opened, if peers can no longer
    ///   connect, or if the store's directory is lost.
    public func run() async throws(TransferError) {
        for try await _ in events() {}
    }

    private func serve(
        onEvent: @escaping @Sendable (ReceiverEvent) -> Void
    ) async throws(TransferError) {
        let record = TransferRecord(logger)
        let report = { @Sendable (event: ReceiverEvent) in
            record.note(event)
            onEvent(event)
        }
        let links = try await endpoint.open { change in record.note(change) }
        report(ReceiverEvent(.listening(links.place), of: links.place))
        var policy = policy
        policy.running = running
        policy.deviceKey = deviceKey
        let service = Service(
            into: store,
            policy: policy,
            offering: served,
            limits: links.limits
        ) { kind, guest in report(ReceiverEvent(kind, of: guest)) }
        links.onShortage { service.makeRoom() }
        let ending = await Self.ending(whileThereIs: store) {
            try await service.run { try await links.next() }
        }
        await links.end()
        if let ending { throw ending }
    }

    /// Returns the error that ended serving; `nil` if serving ended normally.
    private static func ending(
        whileThereIs store: any ImageStore,
        _ serve: @escaping @Sendable () async throws -> Void
    ) async -> TransferError? {
        await withTaskGroup(of: (TransferError?, isServing: Bool).self) { group in
            group.addTask {
                do {
                    try await serve()
                    return (nil, true)
                } catch {
                    return (error as? TransferError ?? TransferError(.cancelled), true)
                }
            }
            group.addTask {
                do throws(StoreError) {
                    try await store.awaitLoss()
                    return (nil, false)
                } catch {
                    return (TransferError(.store(error)), false)
                }
            }
            defer { group.cancelAll() }
            // If the task is cancelled, `awaitLoss` may return first; in that case, only the result
            // of serving counts.
            while let (error, isServing) = await group.next() {
                if error != nil || isServing { return error }
            }
            return nil
        }
    }
}

extension ReceiverEvent {
    /// The key of one peer's progress; newer progress replaces older progress with the same
    /// key.
    fileprivate var progressKey: String? {
        if case .progress = kind { peer } else { nil }
    }
}
