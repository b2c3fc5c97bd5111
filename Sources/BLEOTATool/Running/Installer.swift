import BLEOTA
import BLEOTAWire
import Synchronization
import SystemPackage

/// Installs what a receiver has made current, by a program of the device's maker, and knows what
/// runs.
final class Installer: Sendable {
    private struct State {
        var isInstalling = false
        /// What ran when an image could not be installed: when something else runs, that is what
        /// counts.
        var runningAtFailure: RunningImage?
        var task: Task<Void, Never>?
    }

    /// Whoever is in range may offer an image again that is current and could not be installed.
    private static let attemptCountMax = 3

    private let command: [String]
    private let limit: Duration
    private let isOnTrial: Bool
    private let record: RunningRecord
    private let installation: InstallationRecord
    private let reporter: Reporter
    private let state = Mutex(State())

    /// - Parameters:
    ///   - command: the program and its arguments; the image's path is added. Empty where nothing
    ///     is to be installed.
    ///   - limit: how long it may take.
    ///   - isOnTrial: whether what is installed is on trial until `bleota confirm`.
    ///   - directory: of the store.
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
        self.reporter = reporter
    }

    /// What the device runs.
    var running: RunningImage {
        state.withLock { state in
            var running = record.read()
            if state.isInstalling {
                running.state = .installing
            } else if state.runningAtFailure == running {
                running.state = .failed
            }
            return running
        }
    }

    /// Whether an image may come now.
    var isFree: Bool { state.withLock { !$0.isInstalling } }

    /// Installs an image that has just become current, or is again, unless it runs already.
    func note(_ event: ReceiverEvent.Kind) {
        switch event {
        case .stored(let image), .alreadyCurrent(let image): take(image)
        default: break
        }
    }

    /// Installs what is current if a process before this one began to and did not get to its end,
    /// because the power was cut or it was ended.
    func resume(_ current: StoredImage) {
        if installation.attemptCount(of: current.sha256) > 0 { take(current) }
    }

    private func take(_ image: StoredImage) {
        guard !command.isEmpty, let path = image.filePath else { return }
        state.withLock { state in
            if runs(image) {
                state.runningAtFailure = nil
                return
            }
            if state.isInstalling { return }
            guard installation.attemptCount(of: image.sha256) < Self.attemptCountMax else {
                state.runningAtFailure = record.read()
                return
            }
            state.isInstalling = true
            state.task = Task { await install(image, at: path) }
        }
    }

    private func runs(_ image: StoredImage) -> Bool {
        let running = record.read()
        return running.state != .unknown
            && running == RunningImage(running.state, sha256: image.sha256)
    }

    /// Returns when nothing is under way any more: an installation is not left in the middle.
    func finish() async { await state.withLock { $0.task }?.value }

    /// Ends what is under way: the program is told with SIGTERM and, if it goes on, ended five
    /// seconds later. The next start begins the installation again.
    func stop() async {
        let task = state.withLock { $0.task }
        task?.cancel()
        await task?.value
    }

    //= RUN-2: A receiver MUST NOT say *confirmed* of an image before that image runs.
    private func install(_ image: StoredImage, at path: FilePath) async {
        reporter.event(JSONLine(event: "installing").adding("path", path.string))
        reporter.note("installing    \(path)")
        do {
            // It outlives a receiver that was killed, and two at once could write the same slot.
            if let former = installation.process.flatMap(ProcessIdentity.init(named:)) {
                reporter.note("  first ended the one that was left behind (process \(former))")
                await former.end()
            }
            try installation.begin(image.sha256)
            let ending = try await ChildProcess.run(
                command + [path.string],
                environment: environment(of: image),
                limit: limit
            ) { [installation] program in
                try? installation.note(process: program.description, of: image.sha256)
            }
            guard ending == .exited(status: 0) else {
                throw Failure(.inputOutput, "\(command[0]) \(Self.sentence(of: ending))")
            }
            // What the program started may have confirmed itself already.
            if !runs(image) {
                try record.write(isOnTrial ? .onTrial : .confirmed, sha256: image.sha256)
            }
            try installation.end()
            state.withLock { state in
                state.isInstalling = false
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
                state.isInstalling = false
            }
            let sentence = Command.failure(of: error).sentence
            reporter.event(JSONLine(event: "installFailed").adding("message", sentence))
            reporter.note("not installed \(sentence)")
        }
    }

    private func environment(of image: StoredImage) -> [String: String] {
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
        case .exited(let status): "ended with \(status)"
        case .killed(let signal): "was killed by signal \(signal)"
        case .tookTooLong: "took too long and was ended"
        case .stopped: "was ended with this receiver; it is run again at the next start"
        }
    }
}
