import DBus
import Synchronization

/// An advertisement's object on the bus.
final class AdvertisementObject: ExportedObject {
    let interface = Interface.advertisement
    private let advertisement: Advertisement
    private let beginning = ContinuousClock.now
    private let onRelease: Mutex<(@Sendable () -> Void)?> = Mutex(nil)

    init(_ advertisement: Advertisement) { self.advertisement = advertisement }

    /// Calls `handler` on the bus's thread when the daemon has stopped the advertisement.
    func whenReleased(_ handler: @escaping @Sendable () -> Void) {
        onRelease.withLock { $0 = handler }
    }

    /// Whether the lifetime is over.
    var isExpired: Bool { secondsLeft.map { $0 <= 0 } ?? false }

    /// The rest of the lifetime, rounded to whole seconds; `nil` if it is unlimited.
    private var secondsLeft: Int64? {
        advertisement.lifetime.map { lifetime in
            let left = lifetime - beginning.duration(to: .now) + .milliseconds(500)
            return left.components.seconds
        }
    }

    func perform(_ member: String, _ call: IncomingCall) -> Bool {
        guard member == "Release" else { return false }
        call.reply()
        onRelease.withLock { $0 }?()
        return true
    }

    /// The advertisement's properties. Empty values are omitted, because old daemons reject them.
    var properties: [String: BusValue] {
        var properties: [String: BusValue] = ["Type": .string(advertisement.kind.rawValue)]
        properties["LocalName"] = advertisement.localName.map { .string($0) }
        if !advertisement.services.isEmpty {
            properties["ServiceUUIDs"] = .strings(advertisement.services.map(\.text))
        }
        if !advertisement.wantedServices.isEmpty {
            properties["SolicitUUIDs"] = .strings(advertisement.wantedServices.map(\.text))
        }
        if !advertisement.manufacturerData.isEmpty {
            properties["ManufacturerData"] = .dictionary(of: "{qv}", manufacturerData)
        }
        if !advertisement.serviceData.isEmpty {
            properties["ServiceData"] = .options(
                Dictionary(
                    uniqueKeysWithValues: advertisement.serviceData.map {
                        ($0.key.text, .bytes($0.value))
                    }
                )
            )
        }
        properties["Discoverable"] = advertisement.isDiscoverable.map { .boolean($0) }
        properties["Appearance"] = advertisement.appearance.map { .uint16($0) }
        if !advertisement.additions.isEmpty {
            properties["Includes"] = .strings(advertisement.additions.map(\.rawValue).sorted())
        }
        if let interval = advertisement.interval {
            properties["MinInterval"] = .uint32(Self.milliseconds(interval.lowerBound))
            properties["MaxInterval"] = .uint32(Self.milliseconds(interval.upperBound))
        }
        // If the advertisement is registered again, part of its lifetime may have passed.
        properties["Timeout"] = secondsLeft.map { .uint16(UInt16(clamping: max(1, $0))) }
        return properties
    }

    private var manufacturerData: [BusValue.Entry] {
        advertisement.manufacturerData.sorted { $0.key < $1.key }
            .map { .init(.uint16($0.key), .variant(.bytes($0.value))) }
    }

    private static func milliseconds(_ duration: Duration) -> UInt32 {
        UInt32(clamping: duration / .milliseconds(1) < 0 ? 0 : Int64(duration / .milliseconds(1)))
    }
}
