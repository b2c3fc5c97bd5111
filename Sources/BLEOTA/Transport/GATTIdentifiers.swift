/// The UUIDs of the GATT binding (spec/registry.md, spec/bleota.md, section 10).
package enum GATTIdentifiers {
    /// The primary service, which a receiver advertises.
    package static let service = "7a3d0001-5c1e-4f0b-9b6a-e2c49d0f2d11"
    /// Info: read to get the protocol version and the version of the running firmware.
    package static let info = "7a3d0002-5c1e-4f0b-9b6a-e2c49d0f2d11"
    /// Control: control frames, written by the central and notified by the peripheral.
    package static let control = "7a3d0003-5c1e-4f0b-9b6a-e2c49d0f2d11"
    /// Data: data frames from a central that sends, as write commands only.
    package static let data = "7a3d0004-5c1e-4f0b-9b6a-e2c49d0f2d11"
    /// DataWithResponse: data frames from a central that sends, as write requests only.
    package static let dataWithResponse = "7a3d0005-5c1e-4f0b-9b6a-e2c49d0f2d11"
    /// DataOut: data frames from a peripheral that sends, as notifications or indications.
    package static let dataOut = "7a3d0006-5c1e-4f0b-9b6a-e2c49d0f2d11"
    /// L2CAP: read to learn where the device listens for L2CAP channels.
    package static let l2cap = "7a3d0007-5c1e-4f0b-9b6a-e2c49d0f2d11"
}
