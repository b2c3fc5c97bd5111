import BLEOTA
import FleetGateway
import FleetModel
import Synchronization

import struct SystemPackage.Errno
import struct SystemPackage.FilePath

/// A simulated device from one start to the next.
final class DeviceSession: Sendable {
    /// The time that the device goes on answering before it restarts.
    private static let farewell = Duration.milliseconds(500)

    private let device: SimulatedDevice
    private let start: DeviceStart
    private let store: DirectoryStore
    private let tell: @Sendable (SimulatedDevice.Event) -> Void
    private let running: Mutex<RunningImage>
    private let link = Mutex<LossyLink?>(nil)

    init(
        _ device: SimulatedDevice,
        _ start: DeviceStart,
        _ store: DirectoryStore,
        _ tell: @escaping @Sendable (SimulatedDevice.Event) -> Void
    ) {
        self.device = device
        self.start = start
        self.store = store
        self.tell = tell
        running = Mutex(start.running)
    }

    /// Takes images until one is verified, or the task is cancelled.
    func run() async -> SimulationError? {
        let (verified, verify) = AsyncStream.makeStream(of: Void.self)
        let failure = await withTaskGroup(of: SimulationError?.self) { group in
            group.addTask { await self.serve { verify.yield() } }
            group.addTask {
                for await _ in verified { break }
                try? await Task.sleep(for: Self.farewell)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
        link.withLock { $0 }?.end()
        return failure
    }

    private func serve(_ onVerified: @Sendable () -> Void) async -> SimulationError? {
        // The name isn't that of a device: no gateway hears it.
        let inner = device.folder.appending(".\(device.id).radio")
        var receiver = FirmwareReceiver(
            at: .socket(inner.string),
            storingIn: store,
            accepting: policy
        )
        receiver.running = { [self] in running.withLock { $0 } }
        receiver.deviceKey = device.key
        do throws(TransferError) {
            for try await event in receiver.events() {
                if case .listening = event.kind, let failure = appear(over: inner) {
                    return failure
                }
                if case .stored = event.kind {
                    running.withLock { $0 = .installing(start.sha256) }
                    onVerified()
                }
                if let news = news(of: event.kind) { tell(news) }
            }
            return nil
        } catch {
            return SimulationError("\(device.id) can't take images: \(error)")
        }
    }

    private var policy: AcceptancePolicy {
        var policy = AcceptancePolicy()
        let refused = device.temper.refuses
        policy.judge = { manifest in
            let version = manifest.version.flatMap { FirmwareVersion(advertised: $0) }
            return version.map(refused.contains) == true ? .wrongHardware : nil
        }
        return policy
    }

    /// Begins to be heard, once the receiver listens.
    private func appear(over inner: FilePath) -> SimulationError? {
        do throws(Errno) {
            let new = try LossyLink(
                at: SocketAir.socket(of: device.id, in: device.folder),
                to: inner,
                device.faults
            )
            link.withLock { $0 = new }
            try device.advertise(start.version)
            return nil
        } catch {
            return SimulationError("\(device.id) can't use \(device.folder): \(error)")
        }
    }

    private func news(of kind: ReceiverEvent.Kind) -> SimulatedDevice.Event? {
        switch kind {
        case .listening: .ready(start.version)
        case .started(_, let byte): .started(resumedFromByte: byte)
        case .progress(let progress):
            .stored(byteCount: progress.durableByteCount, of: progress.totalByteCount)
        case .stored: .verified
        case .alreadyCurrent: .hadItAlready
        case .ended(let error): .interrupted(error.description)
        case .served, .servingEnded: nil
        }
    }
}
