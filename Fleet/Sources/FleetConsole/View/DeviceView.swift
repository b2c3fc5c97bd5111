package import FleetModel

/// A device with the gateways that hear it.
package struct DeviceView: Sendable {
    package struct Hearer: Sendable, Hashable {
        package let gateway: GatewayID
        package let strength: Strength
        package let version: FirmwareVersion
        package let moment: Moment
    }

    package let record: DeviceRecord
    package let state: DeviceState
    package let progress: FleetView.Progress?
    /// The one that hears it best first.
    package let hearers: [Hearer]
}

extension FleetView {
    /// A device; `nil` if there is none of this name.
    package func device(_ id: DeviceID) -> DeviceView? {
        guard let record = devices[id] else { return nil }
        return DeviceView(
            record: record,
            state: DeviceState(record),
            progress: progress(of: record),
            hearers: hearers(of: id)
        )
    }

    /// The gateways that hear a device, the one that hears it best first.
    func hearers(of device: DeviceID) -> [DeviceView.Hearer] {
        sightings
            .compactMap { gateway, heard in
                heard[device].map {
                    DeviceView.Hearer(
                        gateway: gateway,
                        strength: $0.strength,
                        version: $0.version,
                        moment: $0.moment
                    )
                }
            }
            .sorted { ($1.strength, $0.gateway) < ($0.strength, $1.gateway) }
    }
}
