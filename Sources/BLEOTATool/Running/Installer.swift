import BLEOTA
import BLEOTAWire
import Synchronization
import SystemPackage

/// Installs the current image of a receiver with a program from the device's maker, and tracks
/// which image is running.
final class Installer: Sendable {
    private struct State {
        /// The image that is being installed.
        var installing: [UInt8]?
        /// The image that was running when an installation failed. Once another one runs, the
        /// failure no longer applies.
        var runningAtFailure: RunningImage?
        var task: Task<Void, Never>?
        /// The image whose version was looked up last, and the version.
        var version: (sha256: [UInt8], text: String)?
    }

    /// The limit on attempts per image. Without this limit, any peer in range could repeat a
    /// failing installation by offering the current image again.
    private static let attemptCountMax = 3

    private let command: [String]
    private let limit: Duration
    private let isOnTrial: Bool
    private let record: RunningRecord
    private let installation: InstallationRecord
    private let directory: FilePath
    private let reporter: Reporter
    private let state = Mutex(State())

    /// - Parameters:
    ///   - command: the program and its arguments, to which the path of the image is added; empty
    ///     if nothing is to be installed.
    ///   - limit: the time that an installation may take.
    ///   - isOnTrial: whether an installed image is on trial until `bleota confirm`.
    ///   - directory: the directory of the store.
    init(
        _ command: [String],
        limit: Duration,
        isOnTrial: Bool,
        directory: FilePath,
        _ reporter: Reporter
    ) {
        self.command = command
        self.limit = limit
        self.isOnTrial = isOnTrial
        record = RunningRecord(directory: directory)
        installation = InstallationRecord(directory: directory)
        self.directory = directory
        self.reporter = reporter
    }

    /// The image that the device is running, and its state.
    var running: RunningImage {
        state.withLock { state in
            var running = record.read()
            // The program may have ended, or confirmed the image itself.
            if let image = state.installing, image != running.sha256 {
                running.state = .installing
            } else if state.runningAtFailure == running {
                running.state = .failed
            }
            return running
        }
    }

    /// The running image with its version and the counter of the store, for a receipt.
    var statement: RunningImage {
        var running = running
        running.counter = record.counter
        if let sha256 = running.sha256 { running.version = version(of: sha256) }
        return running
    }

    /// The version of an image. It is looked up once, because anyone in range may ask for receipts
    /// and a manifest may be long.
    private func version(of sha256: [UInt8]) -> String {
        state.withLock { state in
            if let known = state.version, known.sha256 == sha256 { return known.text }
            let text = record.version(of: sha256) ?? ""
            state.version = (sha256, text)
            return text
        }
    }

    /// Whether an image can be accepted now.
    var isFree: Bool { state.withLock { $0.installing == nil } }

    /// Installs an image that has become current, or was offered again, unless it is already
    /// running.
    func note(_ event: ReceiverEvent.Kind) {
        switch event {
        case .stored(let image), .alreadyCurrent(let image): take(image, isOnTrial: isOnTrial)
        default: break
        }
    }

    /// Installs an image that a peer has made current.
    ///
    /// - Parameter isOnTrial: whether the peer requested a trial. Otherwise the receiver decides.
    func install(_ image: StoredImage, isOnTrial: Bool) {
        take(image, isOnTrial: isOnTrial || self.isOnTrial)
    }

    /// Installs the current image again if an earlier process was killed, or the device lost
    /// power, while installing it.
    func resume(_ current: StoredImage, isOnTrial: Bool) {
        if installation.attemptCount(of: current.sha256) > 0 {
            take(current, isOnTrial: isOnTrial || self.isOnTrial)
        }
    }

    /// Whether images are installed at all.
    var hasProgram: Bool { !command.isEmpty }

    private func take(_ image: StoredImage, isOnTrial: Bool) {
        guard !command.isEmpty, let path = image.filePath else { return }
        state.withLock { state in
            if runs(image) {
                state.runningAtFailure = nil
                return
            }
            if state.installing != nil { return }
            guard installation.attemptCount(of: image.sha256) < Self.attemptCountMax else {
                state.runningAtFailure = record.read()
                giveUp()
                return
            }
            state.installing = image.sha256
            state.task = Task { await run(image, at: path, isOnTrial: isOnTrial) }
        }
    }

    private func giveUp() {
        tellFailure(
            "This image has failed \(Self.attemptCountMax) times; delete "
                + "\(directory.appending("installing")) and push the image again to try once more."
        )
    }

    private func tellFailure(_ sentence: String) {
        reporter.event(JSONLine(event: "installFailed").adding("message", sentence))
        reporter.note("not installed \(sentence)")
    }

    private func runs(_ image: StoredImage) -> Bool {
        let running = record.read()
        return running.state != .unknown
            && running == RunningImage(running.state, sha256: image.sha256)
    }

    /// Waits for an installation in progress, so that it is not cut short.
    func finish() async { await state.withLock { $0.task }?.value }

    /// Stops an installation in progress: the program gets SIGTERM and, five seconds later,
    /// SIGKILL. The next start repeats the installation.
    func stop() async {
        let task = state.withLock { $0.task }
        task?.cancel()
        await task?.value
    }

    //= RUN-2: A receiver MUST NOT report *confirmed* for an image before that image runs.
    private func run(_ image: StoredImage, at path: FilePath, isOnTrial: Bool) async {
        reporter.event(JSONLine(event: "installing").adding("path", path.string))
        reporter.note("installing    \(path)")
        do {
            // The program may survive a receiver that was killed, and two programs could write to
            // the same slot.
            if let former = installation.process.flatMap(ProcessIdentity.init(named:)) {
                reporter.note("  first stopped an earlier installation (process \(former))")
                await former.end()
            }
            try installation.begin(image.sha256)
            let ending = try await ChildProcess.run(
                command + [path.string],
                environment: environment(of: image, isOnTrial: isOnTrial),
                limit: limit
            ) { [installation] program in
                try? installation.note(process: program.description, of: image.sha256)
            }
            guard ending == .exited(status: 0) else {
                throw Failure(.inputOutput, "\(command[0]) \(Self.sentence(of: ending))")
            }
            // A process that the program started may already have confirmed the image.
            if !runs(image) {
                try record.write(isOnTrial ? .onTrial : .confirmed, sha256: image.sha256)
            }
            try installation.end()
            state.withLock { state in
                state.installing = nil
                state.runningAtFailure = nil
            }
            let name = isOnTrial ? "on trial" : "confirmed"
            reporter.event(
                JSONLine(event: "installed").adding("sha256", HexText.text(image.sha256))
                    .adding("onTrial", isOnTrial)
            )
            reporter.note("installed     \(name)")
        } catch {
            state.withLock { state in
                state.runningAtFailure = record.read()
                state.installing = nil
            }
            tellFailure(Command.failure(of: error).sentence)
        }
    }

    private func environment(
        of image: StoredImage,
        isOnTrial: Bool
    ) -> [String: String] {
        var environment = [
            "BLEOTA_IMAGE": image.path ?? "",
            "BLEOTA_SHA256": HexText.text(image.sha256),
            "BLEOTA_MODE": isOnTrial ? "test" : "permanent",
        ]
        environment["BLEOTA_NAME"] = image.manifest.name
        environment["BLEOTA_VERSION"] = image.manifest.version
        environment["BLEOTA_COMPONENT"] = image.manifest.component
        return environment
    }

    private static func sentence(of ending: ChildProcess.Ending) -> String {
        switch ending {
        case .exited(let status): "exited with status \(status)"
        case .killed(let signal): "was killed by signal \(signal)"
        case .tookTooLong: "took too long and was stopped"
        case .stopped: "was stopped along with this receiver, and runs again at the next start"
        }
    }
}
