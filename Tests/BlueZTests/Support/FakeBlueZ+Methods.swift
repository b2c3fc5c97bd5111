import DBus

extension FakeBlueZ {
    /// Does with a call what a daemon does that works.
    func perform(_ call: FakeCall, _ incoming: IncomingCall) async {
        guard objects[call.path] != nil || call.path == .root else {
            return incoming.fail("org.freedesktop.DBus.Error.UnknownObject", "no such object")
        }
        do {
            switch call.interface {
            case "org.freedesktop.DBus.ObjectManager": incoming.reply([managedObjects])
            case "org.freedesktop.DBus.Properties": try await answerProperties(call, incoming)
            case Fake.adapter: try await answerAdapter(call, incoming)
            case Fake.device: try await answerDevice(call, incoming)
            case Fake.characteristic: try await answerCharacteristic(call, incoming)
            case "org.bluez.GattManager1", "org.bluez.LEAdvertisingManager1":
                try await answerManager(call, incoming)
            default: refuse(call, incoming)
            }
        } catch {
            incoming.fail("org.bluez.Error.Failed", "\(error)")
        }
    }

    private func refuse(_ call: FakeCall, _ incoming: IncomingCall) {
        incoming.fail(
            "org.freedesktop.DBus.Error.UnknownMethod",
            "Method \"\(call.member)\" on interface \"\(call.interface)\" doesn't exist"
        )
    }

    private func answerProperties(_ call: FakeCall, _ incoming: IncomingCall) async throws {
        let interface = call.body.first?.text ?? ""
        let properties = objects[call.path]?[interface] ?? [:]
        switch call.member {
        case "GetAll": incoming.reply([.options(properties)])
        case "Get":
            let name = call.body.last?.text ?? ""
            guard let value = properties[name] else {
                let text = "No such property '\(name)'"
                return incoming.fail("org.freedesktop.DBus.Error.InvalidArgs", text)
            }
            incoming.reply([.variant(value)])
        case "Set":
            guard call.body.count == 3, let name = call.body[1].text else { break }
            try await change(call.path, interface, [name: call.body[2].unwrapped])
            incoming.reply()
        default: refuse(call, incoming)
        }
    }

    private func answerAdapter(_ call: FakeCall, _ incoming: IncomingCall) async throws {
        switch call.member {
        case "SetDiscoveryFilter": incoming.reply()
        case "StartDiscovery":
            guard !setDiscovering(true) else {
                let text = "Operation already in progress"
                return incoming.fail("org.bluez.Error.InProgress", text)
            }
            incoming.reply()
        case "StopDiscovery":
            guard !setDiscovering(false) else {
                return incoming.fail("org.bluez.Error.Failed", "No discovery started")
            }
            incoming.reply()
        case "RemoveDevice":
            guard let device = call.body.first?.objectPath, objects[device] != nil else {
                return incoming.fail("org.bluez.Error.DoesNotExist", "Does Not Exist")
            }
            try await removeTree(device)
            incoming.reply()
        default: refuse(call, incoming)
        }
    }

    private func answerDevice(_ call: FakeCall, _ incoming: IncomingCall) async throws {
        switch call.member {
        case "Connect":
            let changes: [(String, Bool)] = [
                ("Connected", tells.connected), ("ServicesResolved", tells.resolved),
            ]
            for (name, isTold) in changes {
                let changed: [String: BusValue] = [name: .boolean(true)]
                if isTold {
                    try await change(call.path, Fake.device, changed)
                } else {
                    change(call.path, Fake.device, quietly: changed)
                }
            }
            incoming.reply()
        case "Disconnect":
            guard objects[call.path]?[Fake.device]?["Connected"]?.flag == true else {
                return incoming.fail("org.bluez.Error.NotConnected", "Not Connected")
            }
            try await lose(call.path)
            incoming.reply()
        case "Pair": incoming.reply()
        default: refuse(call, incoming)
        }
    }

    private func answerCharacteristic(_ call: FakeCall, _ incoming: IncomingCall) async throws {
        switch call.member {
        case "ReadValue":
            let value = objects[call.path]?[Fake.characteristic]?["Value"]
            incoming.reply([value ?? .bytes(Array("value".utf8))])
        case "WriteValue", "StartNotify", "StopNotify": incoming.reply()
        case "AcquireWrite":
            let (own, given) = FakeSocket.makePair()
            keep(own)
            let attMTU = objects[call.path]?[Fake.characteristic]?["MTU"] ?? .uint16(247)
            incoming.reply([.descriptor(given), attMTU])
        default: refuse(call, incoming)
        }
    }

    /// Looks at what is registered before it answers, as the real one does.
    private func answerManager(_ call: FakeCall, _ incoming: IncomingCall) async throws {
        guard let path = call.body.first?.objectPath, let owner = incoming.message.sender else {
            return incoming.fail("org.bluez.Error.InvalidArguments", "Invalid arguments")
        }
        switch call.member {
        case "RegisterApplication", "RegisterAdvertisement":
            guard offers[path] == nil else {
                return incoming.fail("org.bluez.Error.AlreadyExists", "Already Exists")
            }
            let question =
                call.member == "RegisterApplication"
                ? MethodCall(
                    owner,
                    at: path,
                    "org.freedesktop.DBus.ObjectManager",
                    "GetManagedObjects"
                )
                : MethodCall(
                    owner,
                    at: path,
                    "org.freedesktop.DBus.Properties",
                    "GetAll",
                    [.string("org.bluez.LEAdvertisement1")]
                )
            let content = try await connection.call(question, within: .seconds(5))
            keep(FakeOffer(owner: owner, content: content[0]), at: path)
            incoming.reply()
        case "UnregisterApplication", "UnregisterAdvertisement":
            keep(nil, at: path)
            incoming.reply()
        default: refuse(call, incoming)
        }
    }
}
