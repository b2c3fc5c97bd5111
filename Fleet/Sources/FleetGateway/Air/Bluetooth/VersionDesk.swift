import BlueZ
import FleetModel
import FleetStore

/// Asks devices that don't advertise their version, as ``VersionBook`` says.
actor VersionDesk {
    /// What a receiver says of itself (spec/bleota.md, section 10.3): a byte with the version of
    /// the protocol, and the version of its firmware.
    private static let info = BluetoothUUID("7a3d0002-5c1e-4f0b-9b6a-e2c49d0f2d11")!
    /// How long a connection may take to be made.
    private static let connectionLimit = Duration.seconds(30)
    /// How often the book is asked who is due.
    private static let tick = Duration.seconds(1)

    private let service: BluetoothUUID
    private var book = VersionBook()
    private var devices: [DeviceID: Device] = [:]
    private var question: (device: DeviceID, answer: Task<VersionBook.Answer, Never>)?

    init(service: BluetoothUUID) { self.service = service }

    /// The version of a device that was heard, if it has said so already.
    func version(
        of id: DeviceID,
        _ device: Device,
        advertising advertised: FirmwareVersion?
    ) -> FirmwareVersion? {
        let version = book.hear(id, advertising: advertised, at: SystemTime.uptime)
        if book.has(id) { devices[id] = device }
        return version
    }

    /// Asks until the task is cancelled.
    func work() async {
        while !Task.isCancelled {
            devices = devices.filter { book.has($0.key) }
            if let id = book.due(at: SystemTime.uptime), let device = devices[id] {
                await ask(id, device)
            } else {
                try? await Task.sleep(for: Self.tick)
            }
        }
    }

    /// Nothing asks a device until its push has ended.
    func beginPush(_ id: DeviceID) async {
        book.beginPush(id)
        // A link is for all programs of this machine: the end of the question would end the push.
        if let question, question.device == id {
            question.answer.cancel()
            _ = await question.answer.value
        }
    }

    func endPush(_ id: DeviceID) { book.endPush(id, at: SystemTime.uptime) }

    private func ask(_ id: DeviceID, _ device: Device) async {
        let service = service
        let answer = Task { await Self.answer(of: device, service) }
        question = (id, answer)
        let said = await withTaskCancellationHandler {
            await answer.value
        } onCancel: {
            answer.cancel()
        }
        question = nil
        book.answered(id, said, at: SystemTime.uptime)
    }

    private static func answer(
        of device: Device,
        _ service: BluetoothUUID
    ) async -> VersionBook.Answer {
        var answer = VersionBook.Answer.silence
        do throws(BlueZError) {
            try await device.connect(within: connectionLimit)
            let info = try await device.service(service).characteristic(Self.info).read()
            let version = String(validating: info.dropFirst(), as: UTF8.self)
                .flatMap { FirmwareVersion(advertised: $0) }
            answer = version.map { .version($0) } ?? .noVersion
        } catch {
            // It may be out of range, or pushed to by another program. It is asked again.
        }
        // In a task of its own: this one may have been cancelled, and the link must not stay.
        await Task { try? await device.disconnect() }.value
        return answer
    }
}
