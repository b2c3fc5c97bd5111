public import DBus

/// A descriptor of a characteristic on a connected device.
public struct RemoteDescriptor: Sendable {
    private let client: BlueZClient
    /// The path of the descriptor's object, such as `…/char0011/desc0013`.
    public let path: ObjectPath

    init(_ client: BlueZClient, _ path: ObjectPath) {
        self.client = client
        self.path = path
    }

    /// The UUID; `nil` after the descriptor has been removed.
    public var uuid: BluetoothUUID? {
        client.look { $0.property(path, Interface.descriptor, "UUID") }?.text
            .flatMap { BluetoothUUID($0) }
    }

    /// Reads the value, up to 512 bytes.
    public func read() async throws(BlueZError) -> [UInt8] {
        let answer = try await client.call(
            path,
            Interface.descriptor,
            "ReadValue",
            [.options([:])],
            within: .seconds(35)
        )
        return answer.first?.byteArray ?? []
    }

    /// Writes the value, and returns when the device has responded.
    public func write(_ bytes: [UInt8]) async throws(BlueZError) {
        try await client.call(
            path,
            Interface.descriptor,
            "WriteValue",
            [.bytes(bytes), .options([:])],
            within: .seconds(35)
        )
    }
}
