import Dispatch
import Glibc
import Synchronization

/// A program that this one starts: an argument vector, no shell.
///
/// It has a process group of its own, so that a Ctrl-C for us does not end it, and what it starts
/// ends with it where it takes too long.
struct ChildProcess {
    /// How a program ended.
    enum Ending: Hashable {
        case exited(status: Int32)
        case killed(signal: Int32)
        /// It took longer than it may, and was ended.
        case tookTooLong
        /// The task was cancelled, and the program ended for that.
        case stopped
    }

    /// How long a program has to end by itself once it is told to.
    private static let grace = DispatchTimeInterval.seconds(5)

    /// Runs a program to its end. In a task that is cancelled it is told to end at once.
    ///
    /// - Parameters:
    ///   - arguments: the program, found in PATH, and its arguments.
    ///   - environment: added to that of this process.
    ///   - limit: after which it is told to end with SIGTERM, and five seconds later with SIGKILL.
    ///   - onStart: called at once when it runs.
    /// - Throws: a `Failure` where it can't be started.
    static func run(
        _ arguments: [String],
        environment: [String: String],
        limit: Duration,
        onStart: (ProcessIdentity) -> Void = { _ in }
    ) async throws(Failure) -> Ending {
        let pid = try start(arguments, environment)
        if let identity = ProcessIdentity(pid) { onStart(identity) }
        let state = Mutex((isLate: false, isOver: false))
        let queue = DispatchQueue(label: "bleota.child-process")
        // Its number is its own until it is reaped: nobody else is told to end.
        @Sendable func send(_ signal: Int32) {
            state.withLock { state in
                if state.isOver { return }
                state.isLate = true
                kill(-pid, signal)
            }
        }
        let term = DispatchWorkItem { send(SIGTERM) }
        let end = DispatchWorkItem { send(SIGKILL) }
        let deadline = DispatchTime.now() + .milliseconds(Int(limit / .milliseconds(1)))
        queue.asyncAfter(deadline: deadline, execute: term)
        queue.asyncAfter(deadline: deadline + grace, execute: end)
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Waiting takes a thread, and blocks none of those that tasks run on.
                DispatchQueue.global().async {
                    awaitEnd(of: pid)
                    continuation.resume()
                }
            }
        } onCancel: {
            send(SIGTERM)
            queue.asyncAfter(deadline: .now() + grace) { send(SIGKILL) }
        }
        term.cancel()
        end.cancel()
        let wasLate = state.withLock { state in
            state.isOver = true
            return state.isLate
        }
        // What it started and does not end when told to.
        if wasLate { kill(-pid, SIGKILL) }
        let status = reap(pid)
        if wasLate { return Task.isCancelled ? .stopped : .tookTooLong }
        guard let status else {
            throw Failure(
                .inputOutput,
                "What became of \(arguments[0]) can't be told, because SIGCHLD is not heard here; "
                    + "start this receiver otherwise"
            )
        }
        return status & 0x7F == 0
            ? .exited(status: status >> 8 & 0xFF) : .killed(signal: status & 0x7F)
    }

    /// Waits until it has ended, and leaves it to be reaped.
    private static func awaitEnd(of pid: pid_t) {
        var info = siginfo_t()
        while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    }

    /// How it ended; `nil` where the system keeps that from us.
    private static func reap(_ pid: pid_t) -> Int32? {
        var status: Int32 = 0
        while true {
            if waitpid(pid, &status, 0) == pid { return status }
            if errno != EINTR { return nil }
        }
    }

    private static func start(
        _ arguments: [String],
        _ environment: [String: String]
    ) throws(Failure) -> pid_t {
        precondition(!arguments.isEmpty)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // What this process ignores, and what its threads block, is the program's own again.
        var defaults = sigset_t()
        sigfillset(&defaults)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        var blocked = sigset_t()
        sigemptyset(&blocked)
        posix_spawnattr_setsigmask(&attributes, &blocked)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK)
        )
        var files = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&files)
        defer { posix_spawn_file_actions_destroy(&files) }
        // It reads nothing, and what it says goes where our errors go: our output is a format.
        posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO)

        var all: [String] = []
        for case let entry? in sequence(
            state: environ,
            next: { list in
                defer { list += 1 }
                return list.pointee.map { String(cString: $0) }
            }
        ) where !environment.keys.contains(String(entry.prefix { $0 != "=" })) {
            all.append(entry)
        }
        all += environment.map { "\($0)=\($1)" }
        var argv = arguments.map { strdup($0) } + [nil]
        var envp = all.map { strdup($0) } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        var pid: pid_t = 0
        let code = posix_spawnp(&pid, arguments[0], &files, &attributes, &argv, &envp)
        guard code == 0 else {
            throw Failure(
                .usage,
                "\(arguments[0]) can't be started (\(String(cString: strerror(code)))); name a "
                    + "program that is there and may be run"
            )
        }
        return pid
    }
}
