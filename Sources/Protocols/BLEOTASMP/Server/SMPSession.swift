import BLEOTA
import BLEOTACore

/// Serves one client: connects its link to the state machine, and the machine to the store.
struct SMPSession: ~Copyable {
    private let guest: SMPGuest
    private let intake: UploadIntake
    private let onEvent: @Sendable (UploadEvent) -> Void
    private var server: SMPServer
    /// Measures the upload that the client continues.
    private var meter: ProgressMeter?
    private var hasEnded = false

    init(
        _ guest: SMPGuest,
        into intake: UploadIntake,
        identity: ServerIdentity,
        onEvent: @escaping @Sendable (UploadEvent) -> Void
    ) {
        self.guest = guest
        self.intake = intake
        self.onEvent = onEvent
        server = SMPServer(identity: identity, imageByteCountMax: intake.imageByteCountMax)
    }

    /// Serves the client until the link ends or the task is cancelled.
    mutating func run() async {
        do throws(TransferError) {
            while true {
                for message in try await guest.link.receive() { try await take(message) }
            }
        } catch {
            guard let upload = server.upload else { return }
            await intake.pause(upload)
            onEvent(.ended(error))
        }
    }

    private mutating func take(_ message: [UInt8]) async throws(TransferError) {
        var actions =
            guest.carriesWholeMessages
            ? server.received(whole: message)
            : server.received(message, at: MonotonicClock.ofProcess.now)
        while !actions.isEmpty {
            switch actions.removeFirst() {
            case .reply(let packet): try await guest.link.send(packet)
            case .perform(let task): actions = server.answered(await perform(task)) + actions
            }
        }
    }

    // MARK: - Tasks

    private mutating func perform(_ task: ServerTask) async -> ServerAnswer {
        do throws(TransferError) {
            switch task {
            case .begin(let id, let beginning, let isUpgradeOnly):
                return try await begin(id, beginning, isUpgradeOnly)
            case .append(let bytes, let id, let offset):
                let end = try await intake.append(bytes, to: id, at: offset)
                if let end { report(end, of: id) }
                return .offset(end)
            case .finish(let id): return .finished(isMatch: try await finish(id))
            case .abandon(let id):
                await intake.abandon(id)
                onEvent(.ended(TransferError(.protocolViolated)))
                return .done
            case .slots: return .slots(await intake.slots())
            case .restart:
                if let (image, isOnTrial) = try await intake.activate() {
                    onEvent(.stored(image, isOnTrial: isOnTrial))
                }
                return .done
            case .mark, .confirmRunning, .erase: return try await change(task)
            }
        } catch {
            onEvent(.ended(error))
            return .failed(SMPError(error))
        }
    }

    private mutating func begin(
        _ id: UploadID,
        _ beginning: [UInt8],
        _ isUpgradeOnly: Bool
    ) async throws(TransferError) -> ServerAnswer {
        if isUpgradeOnly, let new = ImageVersion(beginningOf: beginning),
            let old = await intake.slots().first.flatMap({ ImageVersion($0.version) }), new <= old
        {
            return .failed(.image(.notNewer))
        }
        let offset = try await intake.begin(id, beginning: beginning)
        if offset < id.byteCount {
            onEvent(.started(byteCount: id.byteCount, resumedFromByte: offset))
            meter = ProgressMeter(totalByteCount: id.byteCount)
        }
        return .offset(offset)
    }

    private mutating func report(_ byteCount: Int, of id: UploadID) {
        let progress = meter?.take(
            durableByteCount: byteCount,
            dataFramesSent: 0,
            dataFramesResent: 0,
            at: MonotonicClock.ofProcess.now
        )
        if let progress { onEvent(.progress(progress)) }
    }

    private func finish(_ id: UploadID) async throws(TransferError) -> Bool {
        switch try await intake.finish(id) {
        case .staged(let manifest): onEvent(.staged(manifest))
        case .alreadyCurrent(let image): onEvent(.alreadyCurrent(image))
        case nil:
            onEvent(.ended(TransferError(.refused(.imageMismatch, detail: 0))))
            return false
        }
        return true
    }

    private func change(_ task: ServerTask) async throws(TransferError) -> ServerAnswer {
        do throws(UploadIntake.SlotError) {
            switch task {
            case .mark(let hash, let isForGood):
                try await intake.mark(hash: hash, isPermanent: isForGood)
                onEvent(.marked(hash: hash, isForGood: isForGood))
            case .confirmRunning:
                try await intake.confirmRunning()
                onEvent(.marked(hash: nil, isForGood: true))
            case .erase(let slot): try await intake.erase(slot: slot)
            default: break
            }
            return .done
        } catch {
            if case .failed(let error) = error { throw error }
            return .failed(SMPError(error))
        }
    }
}

/// The version of an MCUboot image, as far as bootloaders compare it.
struct ImageVersion: Comparable {
    private let numbers: [UInt64]

    /// Parses text such as `1.2.3+4`; `nil` for a version in another notation.
    init?(_ text: String) {
        let parts = text.split { $0 == "." || $0 == "+" }
        let numbers = parts.compactMap { UInt64($0) }
        guard numbers.count == parts.count, (3...4).contains(numbers.count) else { return nil }
        self.numbers = numbers + Array(repeating: 0, count: 4 - numbers.count)
    }

    init?(beginningOf image: [UInt8]) {
        guard let text = FirmwareFile.mcubootVersion(inHeader: image) else { return nil }
        self.init(text)
    }

    static func < (one: ImageVersion, other: ImageVersion) -> Bool {
        one.numbers.lexicographicallyPrecedes(other.numbers)
    }
}
