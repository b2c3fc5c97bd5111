import BLEOTABlueZ
import BlueZ
import Synchronization

/// What happened to a peripheral of these tests.
final class UsesNotes: Sendable {
    private struct State {
        var answered: [WriteRequest] = []
        var commanded: [[UInt8]] = []
        var events: [String] = []
        var readCount = 0
        var readOffsets: [Int] = []
    }

    private let state = Mutex(State())

    /// What was written with response.
    var answered: [[UInt8]] { requests.filter { !$0.isOnlyQuestion }.map(\.value) }
    /// The same, as it came.
    var requests: [WriteRequest] { state.withLock { $0.answered } }
    /// From where on the long value was read.
    var readOffsets: [Int] { state.withLock { $0.readOffsets } }
    /// What was written without.
    var commanded: [[UInt8]] { state.withLock { $0.commanded } }
    /// What the application told, such as `subscribed 2a19`.
    var events: [String] { state.withLock { $0.events } }

    func answer(_ request: WriteRequest) { state.withLock { $0.answered.append(request) } }

    func read(atOffset offset: Int) { state.withLock { $0.readOffsets.append(offset) } }

    func command(_ value: [UInt8]) { state.withLock { $0.commanded.append(value) } }

    func nextRead() -> UInt8 {
        state.withLock { state in
            state.readCount += 1
            return UInt8(truncatingIfNeeded: state.readCount)
        }
    }

    func take(_ event: ApplicationEvent) {
        let text =
            switch event {
            case .subscribed(let characteristic): "subscribed \(characteristic.uuid)"
            case .unsubscribed(let characteristic): "unsubscribed \(characteristic.uuid)"
            case .registration(let registration): "\(registration)"
            }
        state.withLock { $0.events.append(text) }
    }
}
