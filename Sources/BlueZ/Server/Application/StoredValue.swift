import Synchronization

/// The value returned by reads of an attribute.
final class StoredValue: Sendable {
    private let value: Mutex<[UInt8]>

    init(_ reading: LocalReading) {
        let bytes: [UInt8] = if case .value(let bytes) = reading { bytes } else { [] }
        value = Mutex(bytes)
    }

    var bytes: [UInt8] {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}
