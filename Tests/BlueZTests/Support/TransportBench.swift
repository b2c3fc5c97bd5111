import BLEOTA
import BLEOTABlueZ

/// A link over the fake daemon.
struct TransportBench {
    let bench: BlueZBench
    let link: CentralTransport

    var daemon: FakeBlueZ { bench.daemon }

    init(
        attMTU: UInt16? = 247,
        attMTUMax: Int = 517,
        _ prepare: (FakeBlueZ) async throws -> Void = { _ in }
    ) async throws {
        bench = try await BlueZBench(attMTU: attMTU, prepare)
        link = try await CentralTransport.connect(to: bench.device, attMTUMax: attMTUMax)
    }

    /// The daemon's end of the data socket.
    var socket: FakeSocket { daemon.sockets[0] }

    /// Sends so many bytes of data without response, in frames as long as they get.
    func sendData(byteCount: Int) async throws {
        var left = byteCount
        while left > 0 {
            let count = min(left, link.limits.dataByteCountMax)
            try await link.send([UInt8](repeating: 7, count: count), on: .data, .withoutResponse)
            left -= count
        }
    }

    /// Waits until the link has ended, and why.
    func end() async throws -> CloseReason {
        try await until { link.closeReason != nil }
        return link.closeReason!
    }
}
