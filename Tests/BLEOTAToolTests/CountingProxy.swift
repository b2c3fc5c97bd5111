import BLEOTA
import BLEOTATestSupport
import Synchronization
import SystemPackage

/// Stands between a sender and a receiver, counts what the sender puts into data frames, and slows
/// it down so that a transfer lasts long enough to be disturbed.
final class CountingProxy: Sendable {
    private let listener: SocketListener
    private let target: FilePath
    private let payload = Atomic(0)

    init(listening path: FilePath, forwardingTo target: FilePath) throws {
        listener = try SocketListener(path: path)
        self.target = target
    }

    var payloadByteCount: Int { payload.load(ordering: .relaxed) }

    /// Forwards one connection after the other until cancelled.
    func run() async {
        while !Task.isCancelled, let near = try? await listener.accept() {
            if let far = await connected() { await forward(near, far) }
            near.close(.local)
        }
        listener.close()
    }

    /// Waits until so many bytes were carried; false if the sender ended before.
    func hasCarried(payloadByteCount count: Int, orEnded sender: RunningTool) async -> Bool {
        while payloadByteCount < count {
            if sender.hasEnded { return false }
            await Pause.short()
        }
        return true
    }

    /// The receiver may just be starting again.
    private func connected() async -> SocketTransport? {
        for _ in 0..<2_000 {
            if let far = try? await SocketTransport.connect(path: target) { return far }
            await Pause.short()
        }
        return nil
    }

    private func forward(_ near: SocketTransport, _ far: SocketTransport) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.pump(from: near, to: far, isCounting: true) }
            group.addTask { await self.pump(from: far, to: near, isCounting: false) }
            await group.next()
            near.close(.local)
            far.close(.local)
        }
    }

    private func pump(
        from source: SocketTransport,
        to sink: SocketTransport,
        isCounting: Bool
    ) async {
        while let datagrams = try? await source.receive() {
            for datagram in datagrams {
                if isCounting, datagram.channel == .data {
                    payload.add(datagram.bytes.count - 4, ordering: .relaxed)
                    // About 4 MB a second: a millisecond for each block.
                    let before = payloadByteCount - datagram.bytes.count
                    if payloadByteCount / 4_096 != before / 4_096 {
                        await Pause.short()
                    }
                }
                guard
                    (try? await sink.send(
                        datagram.bytes,
                        on: datagram.channel,
                        .withoutResponse
                    )) != nil
                else { return }
            }
        }
    }
}

/// The pace of the proxy and of polling a process, which has no event to wait for.
enum Pause {
    static func short() async { try? await Task.sleep(for: .milliseconds(1)) }
}
