/// The UUIDs of the GATT binding (spec/registry.md, spec/bleota.md, section 10).
package enum GATTIdentifiers {
    /// The primary service; what a receiver advertises.
    package static let service = "7a3d0001-5c1e-4f0b-9b6a-e2c49d0f2d11"
    /// Readable: what the device is.
    package static let info = "7a3d0002-5c1e-4f0b-9b6a-e2c49d0f2d11"
    /// Written by the central, notified by the peripheral: control frames.
    package static let control = "7a3d0003-5c1e-4f0b-9b6a-e2c49d0f2d11"
    /// Takes write commands only: data frames of a central that sends.
    package static let data = "7a3d0004-5c1e-4f0b-9b6a-e2c49d0f2d11"
    /// Takes write requests only: the same, each answered by ATT.
    package static let dataWithResponse = "7a3d0005-5c1e-4f0b-9b6a-e2c49d0f2d11"
    /// Notifies and indicates: data frames of a peripheral that sends.
    package static let dataOut = "7a3d0006-5c1e-4f0b-9b6a-e2c49d0f2d11"
}
