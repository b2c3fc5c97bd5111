package import BLEOTA
import BLEOTAWire
package import BlueZ
import Synchronization

/// A device that other machines push images to: offers and advertises the bleota service, and
/// opens a link for each central that writes to it.
///
/// ```swift
/// let device = try await Peripheral.start(bluetooth, name: "kitchen")
/// while let link = await device.accept() {
///     Task { await serve(over: link, into: store) }
/// }
/// ```
///
/// The service and its advertisement are restored automatically after the daemon restarts and
/// after the adapter is switched on again.
package final class Peripheral: Sendable {
    /// The space in Info for the firmware version at the smallest ATT_MTU, in bytes.
    package static let firmwareVersionByteCountMax = 18

    private static let waitingLinkCountMax = 16

    private struct State {
        var links: [ObjectPath: PeripheralTransport] = [:]
        var application: GATTApplication?
        var advertisements: [RunningAdvertisement] = []
        var subscription: BlueZSubscription?
        var listener: L2CAPListener?
    }

    private let client: BlueZClient
    private let attMTUMax: Int
    private let security: LinkSecurity
    private let pipes: PipeServer?
    private let state = Mutex(State())
    private let accepted: AsyncStream<any Transport>
    private let newLinks: AsyncStream<any Transport>.Continuation

    private init(
        _ client: BlueZClient,
        attMTUMax: Int,
        _ security: LinkSecurity,
        _ pipe: GATTPipeService?
    ) {
        self.client = client
        pipes = pipe.map { PipeServer($0, attMTUMax: attMTUMax, security) }
        self.security = security
        self.attMTUMax = attMTUMax
        (accepted, newLinks) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingOldest(Self.waitingLinkCountMax)
        )
    }

    /// Offers the service and starts advertising it.
    ///
    /// - Parameters:
    ///   - adapter: the name or address of the adapter; the first powered adapter by default.
    ///   - name: the device name to advertise; the adapter's name by default.
    ///   - firmwareVersion: the firmware version to report in Info after the protocol's version,
    ///     0 to 18 bytes of UTF-8. It is also advertised if it is not longer than 9 bytes.
    ///   - wantsUpdate: whether to advertise that the device wants an update.
    ///   - attMTUMax: the largest ATT_MTU that frames are built for, 23 to 517.
    ///   - security: the security that a central's link needs before a session can begin. Unless
    ///     it is open, register a ``BlueZ/PairingAgent`` to answer pairing requests.
    ///   - pipe: the service of another protocol to offer and advertise as well. An advertisement
    ///     has room for one of the two services, so both are advertised in turn.
    ///   - offersChannels: whether to offer L2CAP channels, if the system allows them.
    /// - Throws: ``BlueZError``.
    package static func start(
        _ client: BlueZClient,
        adapter: String? = nil,
        name: String? = nil,
        firmwareVersion: String = "",
        wantsUpdate: Bool = false,
        attMTUMax: Int = 517,
        security: LinkSecurity = .open,
        pipe: GATTPipeService? = nil,
        offersChannels: Bool = true
    ) async throws(BlueZError) -> Peripheral {
        let peripheral = Peripheral(client, attMTUMax: attMTUMax, security, pipe)
        do throws(BlueZError) {
            let adapter = try client.readyAdapter(adapter, for: .peripheral)
            if offersChannels { peripheral.listen(on: adapter) }
            try await peripheral.begin(adapter, name, firmwareVersion, wantsUpdate)
        } catch {
            await peripheral.stop()
            throw error
        }
        return peripheral
    }

    private func listen(on adapter: Adapter) {
        let listener = L2CAPListener.start(on: adapter, security: security, attMTUMax: attMTUMax) {
            [newLinks] link in
            if case .dropped = newLinks.yield(link) {
                link.close(.failed("too many centrals at once"))
            }
        }
        state.withLock { $0.listener = listener }
    }

    private func begin(
        _ adapter: Adapter,
        _ name: String?,
        _ firmwareVersion: String,
        _ wantsUpdate: Bool
    ) async throws(BlueZError) {
        let subscription = client.onEvent { [weak self] event in self?.take(event) }
        guard firmwareVersion.utf8.count <= Self.firmwareVersionByteCountMax else {
            throw .invalid("a firmware version of more than 18 bytes")
        }
        let info = [ProtocolVersion.current] + firmwareVersion.utf8
        let application = try await GATTApplication.publish(
            [service(info: Array(info), on: adapter)] + (pipes.map { [$0.localService] } ?? []),
            on: adapter.path,
            client: client
        )
        state.withLock { state in
            state.subscription = subscription
            state.application = application
        }
        pipes?.begin(application)
        // With the service's UUID, 31 bytes leave no room for service data. Older centrals do not
        // receive longer advertisements, and some adapters refuse them. So the service data has an
        // advertisement of its own, and the same holds for a second service.
        for service in [UpdateService.uuid] + (pipes.map { [$0.service] } ?? []) {
            try await advertise(Advertisement(services: [service]), name, adapter)
        }
        let firmware = AdvertisedFirmware(version: firmwareVersion, wantsUpdate: wantsUpdate)
        if firmware.serviceData.count > 1 || wantsUpdate {
            let data = [UpdateService.uuid: firmware.serviceData]
            try await advertise(Advertisement(serviceData: data), name, adapter)
        }
    }

    private func advertise(
        _ advertisement: Advertisement,
        _ name: String?,
        _ adapter: Adapter
    ) async throws(BlueZError) {
        var advertisement = advertisement
        advertisement.localName = name ?? adapter.alias
        // Phones and simple scanners ignore devices that are not discoverable.
        advertisement.isDiscoverable = true
        let running = try await RunningAdvertisement.start(
            advertisement,
            on: adapter.path,
            client: client
        )
        state.withLock { $0.advertisements.append(running) }
    }

    private func service(info: [UInt8], on adapter: Adapter) -> LocalService {
        let offer =
            state.withLock { $0.listener?.offer.value }.map {
                [LocalCharacteristic(Self.uuid(GATTIdentifiers.l2cap), .read, reading: .value($0))]
            } ?? []
        return LocalService(
            UpdateService.uuid,
            characteristics: [
                LocalCharacteristic(Self.uuid(GATTIdentifiers.info), .read, reading: .value(info)),
                LocalCharacteristic(
                    Self.uuid(GATTIdentifiers.control),
                    security.controlFlags.union([.write, .notify]),
                    writing: .stream { [weak self] in self?.take([$0], on: .control) }
                ),
                LocalCharacteristic(
                    Self.uuid(GATTIdentifiers.data),
                    .writeWithoutResponse,
                    writing: .socket { [weak self] in self?.take($0, on: .data) }
                ),
                LocalCharacteristic(
                    Self.uuid(GATTIdentifiers.dataWithResponse),
                    .write,
                    writing: .stream { [weak self] in self?.take([$0], on: .data) }
                ),
                LocalCharacteristic(
                    Self.uuid(GATTIdentifiers.dataOut),
                    security.imageFlags(on: adapter).union([.notify, .indicate])
                ),
            ] + offer
        )
    }

    private static func uuid(_ text: String) -> BluetoothUUID { BluetoothUUID(text)! }

    // MARK: - Events from the daemon, on the bus's thread

    /// Takes the writes of one central, or writes for which the daemon does not name the central.
    private func take(_ requests: [WriteRequest], on channel: Datagram.Channel) {
        let values = requests.map(\.value)
        if let device = requests.first?.device {
            link(to: device, requests.first?.mtu)?.take(values, on: channel)
        } else {
            // Every link checks the frames, and all but one drop them because the checksums do
            // not match.
            for link in state.withLock({ Array($0.links.values) }) {
                link.takeShared(values, on: channel)
            }
        }
    }

    /// Returns the link to a central. The central's first write creates it.
    private func link(to device: ObjectPath, _ attMTU: Int?) -> PeripheralTransport? {
        let (link, isNew) = state.withLock { state -> (PeripheralTransport?, Bool) in
            if let link = state.links[device], link.closeReason == nil { return (link, false) }
            guard let application = state.application else { return (nil, false) }
            let link = PeripheralTransport(
                application,
                attMTU: min(attMTU ?? 23, attMTUMax)
            )
            state.links[device] = link
            return (link, true)
        }
        if isNew, let link, case .dropped = newLinks.yield(link) {
            link.close(.failed("too many centrals at once"))
            return nil
        }
        return link
    }

    private func take(_ event: BlueZEvent) {
        losePipe(event)
        let (gone, reason) = state.withLock { state -> ([PeripheralTransport], CloseReason) in
            switch event {
            case .daemonVanished:
                defer { state.links = [:] }
                return (Array(state.links.values), .failed("the Bluetooth daemon stopped"))
            case .changed(let device, _, let changed, _)
            where changed["Connected"]?.flag == false:
                let gone = state.links.removeValue(forKey: device).map { [$0] } ?? []
                return (gone, CloseReason(client.disconnectionReason(of: device)))
            case .removed(let device, let interfaces) where interfaces.contains(Interface.device):
                return (state.links.removeValue(forKey: device).map { [$0] } ?? [], .remote)
            default: return ([], .remote)
            }
        }
        for link in gone { link.close(reason) }
    }

    private func losePipe(_ event: BlueZEvent) {
        switch event {
        case .daemonVanished: pipes?.lose(nil, .failed("the Bluetooth daemon stopped"))
        case .changed(let device, _, let changed, _) where changed["Connected"]?.flag == false:
            pipes?.lose(device, CloseReason(client.disconnectionReason(of: device)))
        case .removed(let device, let interfaces) where interfaces.contains(Interface.device):
            pipes?.lose(device, .remote)
        default: break
        }
    }

    // MARK: - Serving

    /// Waits for the next central that writes to the service or opens a channel. Returns `nil`
    /// after ``stop()`` or if the task is cancelled. Only one task may call this at a time.
    package func accept() async -> (any Transport)? {
        var links = accepted.makeAsyncIterator()
        return await links.next()
    }

    /// Waits for the next central that writes to the service of the other protocol, as
    /// ``accept()`` does.
    package func acceptPipe() async -> (any GATTPipe)? { await pipes?.next() }

    /// Stops the advertisements, the services and all links.
    package func stop() async {
        newLinks.finish()
        pipes?.stop()
        let state = self.state.withLock { state in
            defer { state = State() }
            return state
        }
        state.listener?.close()
        for link in state.links.values { link.close(.local) }
        for advertisement in state.advertisements { await advertisement.stop() }
        await state.application?.withdraw()
    }
}
