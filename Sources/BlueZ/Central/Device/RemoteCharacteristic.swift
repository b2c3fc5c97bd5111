public import DBus

/// A characteristic of a connected device.
public struct RemoteCharacteristic: Sendable {
    /// How long an operation may take: ATT gives a device 30 seconds.
    static let patience = Duration.seconds(35)
    private static let busyPauses: [Duration] =
        [.milliseconds(10), .milliseconds(50), .milliseconds(200)]
        + Array(repeating: .milliseconds(500), count: 10)

    let client: BlueZClient
    /// Its object, `…/service0010/char0011`.
    public let path: ObjectPath

    init(_ client: BlueZClient, _ path: ObjectPath) {
        self.client = client
        self.path = path
    }

    /// What it is; `nil` once it is gone.
    public var uuid: BluetoothUUID? { property("UUID")?.text.flatMap { BluetoothUUID($0) } }

    /// What it can do, in the words of BlueZ, such as `write-without-response`.
    public var flags: [String] { property("Flags")?.texts ?? [] }

    /// Its descriptors, in the order of their handles.
    public var descriptors: [RemoteDescriptor] {
        client.look { tree in tree.paths(with: Interface.descriptor, below: path) }
            .map { RemoteDescriptor(client, $0) }
    }

    /// The ATT_MTU of the link, 23 to 517, as it is now; 23 where the daemon does not say.
    ///
    /// It is asked for each time, since the daemon does not tell when it changes.
    public func attMTU() async throws(BlueZError) -> Int {
        do throws(BlueZError) {
            let value = try await client.get(path, Interface.characteristic, "MTU").integer
            return min(max(value ?? 23, 23), 517)
        } catch {
            // Releases before 5.62 don't have the property.
            guard case .invalid = error else { throw error }
            return 23
        }
    }

    /// Reads the value, up to 512 bytes.
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

    /// Writes the value: 1 to 512 bytes, of a command at most ATT_MTU − 3.
    ///
    /// A request returns when the device has answered; a command when the daemon has taken it,
    /// which says nothing of the device.
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

    /// Hands a write command to the daemon and does not wait for its answer, so that many can be on
    /// their way: 1 to ATT_MTU − 3 bytes. What the daemon thinks of it nobody learns, and whoever
    /// sends more than a little has to hold back by himself.
    public func post(_ bytes: [UInt8]) {
        client.post(
            path,
            Interface.characteristic,
            "WriteValue",
            [.bytes(bytes), .options(["type": .string(WriteKind.command.rawValue)])]
        )
    }

    /// A socket that writes commands faster than ``write(_:as:)``. While it is open nobody else can
    /// write to the characteristic.
    ///
    /// - Throws: ``BlueZError/notSupported(_:)`` where there is none: use ``write(_:as:)``.
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

    /// Subscribes: `handler` gets every value that the device notifies or indicates, in order, on
    /// the bus's thread; it must not wait. Reading the same characteristic calls it too.
    ///
    /// Ends with ``unsubscribe()`` and when the returned subscription is dropped.
    public func subscribe(
        _ handler: @escaping @Sendable ([UInt8]) -> Void
    ) async throws(BlueZError) -> BlueZSubscription {
        // First the handler: values may come before the answer.
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

    /// Tells the device to notify no more.
    public func unsubscribe() async throws(BlueZError) {
        try await client.call(path, Interface.characteristic, "StopNotify", within: Self.patience)
    }

    /// The daemon does one operation at a time; another client's ends soon.
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
