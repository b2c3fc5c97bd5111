import BLEOTA
import BLEOTATestSupport
import Glibc

/// Other makers' Bluetooth tools, which are written in Python.
enum UsesPython {
    static let reason: String = "BLEOTA_PYTHON has to name a Python with bleak and bless"

    /// What `BLEOTA_PYTHON` names; `scripts/guest/python.sh` makes it.
    static var path: String? {
        getenv("BLEOTA_PYTHON").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Lets the daemon forget the device on hci1, so that it is new when it is heard: of one that
    /// is known the daemon tells changes only, and an emulated controller reports once.
    static func forgetDevice() async throws {
        try await Guest.run("sh", "-c", "bluetoothctl remove \(Guest.deviceAddress) || true")
    }

    /// Starts a program of the folder `peers`.
    static func run(
        _ program: String,
        _ arguments: [String],
        in place: ToolDirectory,
        from file: String = #filePath
    ) throws -> RunningTool {
        guard let path else { throw GuestFailure(reason) }
        let folder = file.split(separator: "/").dropLast().joined(separator: "/")
        return try RunningTool(
            ["/\(folder)/peers/\(program)"] + arguments,
            in: place,
            program: path
        )
    }
}
