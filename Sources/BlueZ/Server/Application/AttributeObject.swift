import DBus

/// A characteristic's or a descriptor's object on the bus.
final class AttributeObject: ExportedObject {
    let interface: String
    private let fixedProperties: [String: BusValue]
    private let reading: LocalReading
    private let writing: LocalWriting
    /// The subscribers of a characteristic that sends values; otherwise `nil`.
    private let subscribers: Subscribers?
    private let stored: StoredValue
    private let writeSockets: WriteSockets?
    private let reads = RequestQueue()
    private let writes = RequestQueue()

    init(
        _ characteristic: LocalCharacteristic,
        of service: ObjectPath,
        _ stored: StoredValue,
        _ subscribers: Subscribers?,
        _ writeSockets: WriteSockets?
    ) {
        interface = Interface.characteristic
        fixedProperties = [
            "UUID": .string(characteristic.uuid.text),
            "Service": .path(service),
            "Flags": .strings(characteristic.flags.names),
        ]
        reading = characteristic.reading
        writing = characteristic.writing
        self.stored = stored
        self.subscribers = subscribers
        self.writeSockets = writeSockets
    }

    init(_ descriptor: LocalDescriptor, of characteristic: ObjectPath) {
        interface = Interface.descriptor
        fixedProperties = [
            "UUID": .string(descriptor.uuid.text),
            "Characteristic": .path(characteristic),
            "Flags": .strings(descriptor.flags.names),
        ]
        reading = descriptor.reading
        writing = descriptor.writing
        stored = StoredValue(descriptor.reading)
        subscribers = nil
        writeSockets = nil
    }

    /// The attribute's properties. The presence of WriteAcquired makes the daemon use a socket
    /// for writes. NotifyAcquired is never present: with sockets for notifications, the daemon
    /// does not report when a bonded peer reconnects, and some releases send each value once per
    /// peer.
    var properties: [String: BusValue] {
        var properties = fixedProperties
        properties["WriteAcquired"] = writeSockets?.isAnyOpen.map { .boolean($0) }
        return properties
    }

    func perform(_ member: String, _ call: IncomingCall) -> Bool {
        switch member {
        case "ReadValue": read(call)
        case "WriteValue": write(call)
        case "AcquireWrite":
            guard let writeSockets else { return false }
            writeSockets.acquire(call)
        case "StartNotify":
            guard let subscribers else { return false }
            subscribers.take()
            call.reply()
        case "StopNotify":
            guard let subscribers else { return false }
            subscribers.reset()
            call.reply()
        case "Confirm":
            guard let subscribers else { return false }
            subscribers.confirm()
            if call.message.expectsReply { call.reply() }
        default: return false
        }
        return true
    }

    private func read(_ call: IncomingCall) {
        let request = ReadRequest(call.message.body.first?.properties ?? [:])
        switch reading {
        case .refused: call.fail(.readNotPermitted)
        case .value: Self.answer(call, request.part(of: stored.bytes))
        case .answered(let handler):
            let isTaken = reads.add {
                let answer = await RequestQueue.answer { await handler(request) }
                Self.answer(call, answer.flatMap { request.part(of: $0) })
            }
            if !isTaken { call.fail(.procedureInProgress) }
        }
    }

    private static func answer(_ call: IncomingCall, _ answer: Result<[UInt8], ATTError>) {
        switch answer {
        case .success(let bytes): call.reply([.bytes(bytes)])
        case .failure(let error): call.fail(error)
        }
    }

    private func write(_ call: IncomingCall) {
        let message = call.message
        guard let value = message.body.first?.byteArray else {
            call.fail("org.freedesktop.DBus.Error.InvalidArgs", "A value is missing")
            return
        }
        let options = message.body.count > 1 ? message.body[1].properties ?? [:] : [:]
        let request = WriteRequest(value, options, wantsAnswer: message.expectsReply)
        guard request.fits else { return call.fail(.invalidAttributeValueLength) }
        switch writing {
        case .refused: call.fail(.writeNotPermitted)
        case .stream(let handler):
            if !request.isOnlyQuestion { handler(request) }
            // A reply that nobody expects would only take time on the bus's thread.
            if message.expectsReply { call.reply() }
        case .socket(let handler):
            if !request.isOnlyQuestion { handler([request]) }
            if message.expectsReply { call.reply() }
        case .answered(let handler):
            let isTaken = writes.add {
                switch await RequestQueue.answer({ await handler(request) }) {
                case .success: call.reply()
                case .failure(let error): call.fail(error)
                }
            }
            if !isTaken { call.fail(.procedureInProgress) }
        }
    }
}
