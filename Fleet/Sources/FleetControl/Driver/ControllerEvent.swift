package import FleetModel
package import FleetStore

/// What a controller tells whoever runs it.
package enum ControllerEvent: Sendable, Hashable {
    /// Another controller is the active one. This one takes over when that is silent.
    case waiting(for: ControllerID)
    /// This controller is the active one now.
    case active
    /// This controller has read everything, and begins to decide.
    case ready(devices: Int)
    /// Another controller has taken over.
    case replaced
    /// A campaign came to another phase.
    case advanced(Campaign)
    /// A device's attempt or job is over, it is lent, or it was heard with something new: its new
    /// record, and the one before, if there was one.
    case wrote(DeviceRecord, after: DeviceRecord?)
    /// A gateway claims what isn't so.
    case lied(GatewayID, String)
    /// Something can't be written or read at present, and is tried again.
    case engineAway(String)
    /// The engine is there again.
    case engineBack
    /// Somebody wrote what this program can't read.
    case ignored(String)
}

/// Why a controller ended by itself.
package struct ControllerError: Error, Sendable, Hashable, CustomStringConvertible {
    package let reason: FleetStoreError

    package var description: String { reason.description }
}
