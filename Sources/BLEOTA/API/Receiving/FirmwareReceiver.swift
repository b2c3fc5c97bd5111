public import Logging

/// Receives images from any number of peers, side by side, and keeps them in a store.
///
/// ```swift
/// var receiver = FirmwareReceiver(
///     at: .socket(socket),
///     storingIn: try DirectoryStore(directory: directory),
///     accepting: policy
/// )
/// receiver.logger = logger
/// ```
///
/// It serves until its task is cancelled, and is made for a service that runs for months among
/// peers of any kind: no peer ends it, and none keeps the others out for long. A session that is
/// cut short leaves what is stored, and the same transfer goes on from there.
///
/// Cost: a descriptor for each link and no thread; 256 KiB of memory once an image arrives over it.
public struct FirmwareReceiver: Sendable {
    private let endpoint: Endpoint
    private let store: any ImageStore
    private let policy: AcceptancePolicy
    private let served: [Firmware]

    /// Where it logs what happens: transfers at `info`, progress at `trace`, and a peer's failures
    /// at `notice`, with the metadata `peer`. Default: nowhere.
    public var logger: Logger?
    /// What peers are told that ask what the device runs; asked each time, and must answer at once.
    /// Default: that it is not known.
    public var running: @Sendable () -> RunningImage = { .unknown }

    /// A receiver that has not begun.
    ///
    /// - Parameters:
    ///   - endpoint: where peers come from.
    ///   - store: keeps what arrives; no other receiver of any process may use it meanwhile.
    ///   - policy: which images are taken.
    ///   - served: what a peer may pull, by the names of the files.
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

    /// Serves peers while the sequence is iterated, and tells what happens.
    ///
    /// Cancelling the task that iterates ends the sequence, without an error, once the peers were
    /// told. It throws when peers can't come at all, or the store's directory is gone.
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

    /// Serves peers until the task is cancelled. The same as ``events()`` for an application that
    /// has no use for them, such as a service that only logs.
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

    /// How serving ended; `nil` where it ended as it should.
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
            // A cancelled task ends the watch first; how serving ends then is what counts.
            while let (error, isServing) = await group.next() {
                if error != nil || isServing { return error }
            }
            return nil
        }
    }
}

extension ReceiverEvent {
    /// Names the progress of one peer, which gives way to newer.
    fileprivate var progressKey: String? {
        if case .progress = kind { peer } else { nil }
    }
}
