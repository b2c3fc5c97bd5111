public import DBus

/// A characteristic of a connected device.
public struct RemoteCharacteristic: Sendable {
    /// The time limit for an operation; ATT gives a device 30 seconds.
    static let patience = Duration.seconds(35)
    private static let busyPauses: [Duration] =
        [.milliseconds(10), .milliseconds(50), .milliseconds(200)]
        + Array(repeating: .milliseconds(500), count: 10)

    let client: BlueZClient
    /// The path of the characteristic's object, such as `…/service0010/char0011`.
    public let path: ObjectPath

    init(_ client: BlueZClient, _ path: ObjectPath) {
        self.client = client
        self.path = path
    }

    /// The UUID; `nil` after the characteristic has been removed.
    public var uuid: BluetoothUUID? { property("UUID")?.text.flatMap { BluetoothUUID($0) } }

    /// The supported operations as named by BlueZ, such as `write-without-response`.
    public var flags: [String] { property("Flags")?.texts ?? [] }

    /// The descriptors, in the order of their handles.
    public var descriptors: [RemoteDescriptor] {
        client.look { tree in tree.paths(with: Interface.descriptor, below: path) }
            .map { RemoteDescriptor(client, $0) }
    }

    /// The current ATT_MTU of the link, 23 to 517; 23 if the daemon does not report it.
    ///
    /// The value is read on each call, because the daemon does not signal changes.
    public func attMTU() async throws(BlueZError) -> Int {
        do throws(BlueZError) {
            let value = try await client.get(path, Interface.characteristic, "MTU").integer
            return min(max(value ?? 23, 23), 517)
        } catch {
            // BlueZ before 5.62 lacks the property.
            guard case .invalid = error else { throw error }
            return 23
        }
    }

    /// Reads the value, up to 512 bytes, from `offset` to its end.
    public func read(offset: Int = 0) async throws(BlueZError) -> [UInt8] {
        let options: [String: BusValue] =
            offset == 0 ? [:] : ["offset": .uint16(UInt16(clamping: offset))]
        return try await retryingBusy { () throws(BlueZError) in
            let answer = try await client.call(
                path,
                Interface.characteristic,
                "ReadValue",
                [.options(options)],
                within: Self.patience
            )
            return answer.first?.byteArray ?? []
        }
    }

    /// Writes the value: 1 to 512 bytes for a request, at most ATT_MTU − 3 for a command.
    ///
    /// For a request, the call returns when the device has responded. For a command, it returns
    /// when the daemon has accepted the command, which the device may not have received yet.
    public func write(_ bytes: [UInt8], as kind: WriteKind) async throws(BlueZError) {
        guard bytes.count <= 512 else { throw .att(.invalidAttributeValueLength) }
        try await retryingBusy { () throws(BlueZError) in
            _ = try await client.call(
                path,
                Interface.characteristic,
                "WriteValue",
                [.bytes(bytes), .options(["type": .string(kind.rawValue)])],
                within: Self.patience
            )
        }
    }

    /// Hands a write command of 1 to ATT_MTU − 3 bytes to the daemon without waiting for a reply,
    /// so that many commands can be in flight. Errors are not reported, and there is no flow
    /// control: a caller that sends many commands must limit its own rate.
    public func post(_ bytes: [UInt8]) {
        client.post(
            path,
            Interface.characteristic,
            "WriteValue",
            [.bytes(bytes), .options(["type": .string(WriteKind.command.rawValue)])]
        )
    }

    /// Opens a socket that sends write commands faster than ``write(_:as:)``. While it is open, no
    /// other program can write to the characteristic.
    ///
    /// - Throws: ``BlueZError/notSupported(_:)`` if the daemon offers no socket: use
    ///   ``write(_:as:)``.
    public func acquireWrite() async throws(BlueZError) -> WriteSocket {
        let answer = try await client.call(
            path,
            Interface.characteristic,
            "AcquireWrite",
            [.options([:])],
            within: Self.patience
        )
        guard answer.count == 2, let descriptor = answer[0].fileDescriptor,
            let attMTU = answer[1].integer
        else { throw .failed("AcquireWrite without a socket") }
        return WriteSocket(descriptor, attMTU: attMTU, client.bus)
    }

    /// Subscribes to notifications and indications. `handler` gets every value in order, on the
    /// bus's thread; the handler must not block. Reads of the characteristic call the handler too.
    ///
    /// The subscription ends with ``unsubscribe()`` or when the returned object is released.
    public func subscribe(
        _ handler: @escaping @Sendable ([UInt8]) -> Void
    ) async throws(BlueZError) -> BlueZSubscription {
        // The handler is registered first, because values may arrive before the reply.
        let subscription = client.onValue(of: path, handler)
        do throws(BlueZError) {
            try await retryingBusy { () throws(BlueZError) in
                _ = try await client.call(
                    path,
                    Interface.characteristic,
                    "StartNotify",
                    within: Self.patience
                )
            }
        } catch {
            subscription.end()
            throw error
        }
        return subscription
    }

    /// Asks the device to stop sending notifications and indications.
    public func unsubscribe() async throws(BlueZError) {
        try await client.call(path, Interface.characteristic, "StopNotify", within: Self.patience)
    }

    /// Retries while the daemon is busy: it runs one operation at a time, and another client's
    /// operation ends soon.
    @discardableResult
    private func retryingBusy<Value>(
        _ body: () async throws(BlueZError) -> Value
    ) async throws(BlueZError) -> Value {
        for pause in Self.busyPauses {
            do throws(BlueZError) {
                return try await body()
            } catch {
                guard error == .busy else { throw error }
            }
            try await client.pause(pause)
        }
        return try await body()
    }

    private func property(_ name: String) -> BusValue? {
        client.look { $0.property(path, Interface.characteristic, name) }
    }
}
