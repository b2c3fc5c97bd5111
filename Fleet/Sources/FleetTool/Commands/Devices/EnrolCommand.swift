import ArgumentParser
import BLEOTA
import FleetModel
import FleetStore
import NATS

import struct SystemPackage.Errno
import struct SystemPackage.FileDescriptor
import struct SystemPackage.FilePath

/// `bleota-fleet devices enroll`: tells the fleet which keys devices sign receipts with.
struct EnrolCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enroll",
        abstract: "Enrol the public keys of devices.",
        discussion: """
            Each line of the file has the name of a device and the file of its public key. A name \
            of a file that does not begin with / is relative to the folder of the list. From then \
            on, every success of such a device counts only with a receipt that the key has signed. \
            A device need not have been heard before. A key that is enrolled again is replaced.

            Example of a line:
              B827EB123456 keys/B827EB123456.pem.pub
            """
    )

    /// The keys of 100,000 devices, in lines of 160 bytes.
    private static let byteCountMax = 1 << 24

    @Argument(help: "File of names and keys.", completion: .file())
    var file: String

    @Flag(help: "Print each as a line of JSON.") var json = false
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await Command.run(on: server) { () async throws(ToolFailure) in
            let keys = try Self.keys(in: file)
            let store = try await server.openStore(as: "bleota-fleet-devices")
            for (device, key) in keys {
                do throws(FleetStoreError) { try await store.keys.put(device, key) } catch {
                    throw ToolFailure(error)
                }
                let line = JSONObject("enrolled").with("device", device.text)
                    .with("key", key.hexadecimal)
                if json { Console.print(line.text) }
            }
            let isOne = keys.count == 1
            if !json { Console.print(isOne ? "1 key enrolled" : "\(keys.count) keys enrolled") }
            try await store.note(
                isOne
                    ? "enrolled the key of \(keys[0].device)"
                    : "enrolled the keys of \(keys.count) devices"
            )
        }
    }

    private static func keys(
        in file: String
    ) throws(ToolFailure) -> [(device: DeviceID, key: DeviceKey)] {
        let folder = FilePath(file).removingLastComponent()
        var keys: [(device: DeviceID, key: DeviceKey)] = []
        var places: [DeviceID: String] = [:]
        let lines = try text(of: file).split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let words = line.split(whereSeparator: \.isWhitespace)
            guard !words.isEmpty else { continue }
            let place = "line \(index + 1) of \(file)"
            guard words.count == 2, let device = DeviceID(String(words[0])) else {
                throw ToolFailure(
                    .badData,
                    "\(place) is not the name of a device and the file of its key"
                )
            }
            if let other = places.updateValue("line \(index + 1)", forKey: device) {
                throw ToolFailure(.badData, "\(place) is about \(device), as \(other) is")
            }
            let path = folder.pushing(FilePath(String(words[1])))
            // Its public half could be read from it, but only the device should have it.
            if let pem = try? text(of: path.string), (try? SigningKey(pem: pem)) != nil {
                throw ToolFailure(
                    .badData,
                    "\(place): \(path) is a private key, which only the device should have; name "
                        + "its public half"
                )
            }
            do throws(KeyError) {
                let key = DeviceKey(try VerifyingKey(contentsOf: path.string).bytes)
                guard let key else { preconditionFailure("a key has one of two lengths") }
                keys.append((device, key))
            } catch {
                throw ToolFailure(.badData, "\(place): \(error)")
            }
        }
        return keys
    }

    private static func text(of path: String) throws(ToolFailure) -> String {
        do {
            let file = try FileDescriptor.open(FilePath(path), .readOnly)
            let bytes = try file.closeAfter {
                var bytes: [UInt8] = []
                var chunk = [UInt8](repeating: 0, count: 1 << 16)
                while bytes.count <= byteCountMax {
                    let count = try chunk.withUnsafeMutableBytes { try file.read(into: $0) }
                    if count == 0 { return bytes }
                    bytes += chunk[..<count]
                }
                throw ToolFailure(.badData, "\(path) is larger than 16 MiB: divide it")
            }
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw ToolFailure(.badData, "\(path) is no text")
            }
            return text
        } catch let failure as ToolFailure {
            throw failure
        } catch {
            throw ToolFailure(.inputOutput, "\(path) can't be read: \(error)")
        }
    }
}
