import BLEOTATestSupport

/// An end of the protocol in Python over Bumble's stack (Tests/Devices/bumble_end.py), in the
/// virtual air: no part of it is BlueZ or this package.
final class BumbleEnd {
    static let name = "sensor"
    /// The controller for it, and one whose packets carry 27 bytes.
    static let air = "/run/guest/air"
    static let shortPacketsAir = "/run/guest/air-27"

    private let place: ToolDirectory
    let process: RunningTool

    /// Starts a device, and waits until it advertises.
    static func device(
        _ kind: String,
        _ path: String,
        in place: ToolDirectory,
        over air: String = BumbleEnd.air,
        _ options: [String] = []
    ) async throws -> BumbleEnd {
        let device = try BumbleEnd("device", kind, path, in: place, over: air, options)
        try await device.happens("advertising")
        return device
    }

    /// Starts a central, which connects to the receiving device on hci1.
    static func central(
        _ kind: String,
        _ path: String,
        in place: ToolDirectory,
        _ options: [String] = []
    ) throws -> BumbleEnd {
        try BumbleEnd("central", kind, path, in: place, over: BumbleEnd.air, options)
    }

    private init(
        _ role: String,
        _ kind: String,
        _ path: String,
        in place: ToolDirectory,
        over air: String,
        _ options: [String]
    ) throws {
        guard let python = UsesPython.path else { throw GuestFailure(UsesPython.reason) }
        self.place = place
        process = try RunningTool(
            [
                "-B", Repository.path(of: "Tests/Devices/bumble_end.py"), "--air", air, role, kind,
                place.path(path), "--name", Self.name, "--peer", Guest.deviceAddress,
            ]
                + options,
            in: place,
            program: python
        )
    }

    func happens(_ name: String, times count: Int = 1) async throws {
        try await process.happens(name, times: count)
    }

    func events(_ name: String) -> [Event] { process.events(name) }

    /// What happened, for the message of a failed test.
    var story: String { process.output + process.errors }

    /// The image that a device which receives has taken.
    var current: [UInt8]? { place.bytes("device/current") }

    /// Ends a device.
    func stop() async throws {
        process.send(15)
        _ = try await process.end(within: 30)
    }
}
