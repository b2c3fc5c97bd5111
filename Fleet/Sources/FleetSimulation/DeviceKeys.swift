package import BLEOTA
package import FleetModel
import Glibc

package import struct SystemPackage.Errno
package import struct SystemPackage.FileDescriptor
package import struct SystemPackage.FilePath
package import struct SystemPackage.FilePermissions

/// The key pairs of simulated devices, in a folder: `NAME.pem` and `NAME.pem.pub`. They stay the same
/// when the devices are run again.
package struct DeviceKeys: Sendable {
    private let folder: FilePath

    /// - Throws: if the folder isn't there and can't be made.
    package init(in folder: FilePath) throws(SimulationError) {
        self.folder = folder
        guard mkdir(folder.string, 0o700) == 0 || errno == EEXIST else {
            throw SimulationError("\(folder) can't be made: \(Errno(rawValue: errno))")
        }
    }

    /// The key of a device, which is made if it isn't there.
    package func key(of device: DeviceID) throws(SimulationError) -> SigningKey {
        let file = folder.appending("\(device).pem")
        do throws(KeyError) {
            if access(file.string, F_OK) == 0 { return try SigningKey(contentsOf: file.string) }
        } catch {
            throw SimulationError("\(error)")
        }
        let key = SigningKey.generate()
        try write(key.verifyingKey.pem, to: "\(device).pem.pub", [.ownerReadWrite, .otherRead])
        try write(key.pem, to: "\(device).pem", .ownerReadWrite)
        return key
    }

    /// Writes the list of the devices and their keys, for `bleota-fleet devices enroll`.
    package func list(_ devices: [DeviceID]) throws(SimulationError) {
        let lines = devices.map { "\($0) \($0).pem.pub\n" }
        try write(lines.joined(), to: "list", [.ownerReadWrite, .otherRead])
    }

    private func write(
        _ text: String,
        to name: String,
        _ mode: FilePermissions
    ) throws(SimulationError) {
        let path = folder.appending(name)
        do {
            let file = try FileDescriptor.open(
                path,
                .writeOnly,
                options: [.create, .truncate],
                permissions: mode
            )
            _ = try file.closeAfter { try file.writeAll(Array(text.utf8)) }
        } catch {
            throw SimulationError("\(path) can't be written: \(error)")
        }
    }
}
