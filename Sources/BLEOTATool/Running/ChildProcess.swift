import Dispatch
import Glibc
import Synchronization

/// A program that this process starts from an argument vector, without a shell.
///
/// The program gets its own process group. A Ctrl-C to this process therefore does not end the
/// program, and if the program takes too long, its children are ended as well.
struct ChildProcess {
    /// How a program ended.
    enum Ending: Hashable {
        case exited(status: Int32)
        case killed(signal: Int32)
        /// The program exceeded its time limit and was ended.
        case tookTooLong
        /// The task was cancelled, so the program was ended.
        case stopped
    }

    /// The time that a program has to exit after SIGTERM.
    private static let grace = DispatchTimeInterval.seconds(5)

    /// Runs a program to its end. If the task is cancelled, the program is told to exit at once.
    ///
    /// - Parameters:
    ///   - arguments: the program, which is searched for in PATH, and its arguments.
    ///   - environment: additions to the environment of this process.
    ///   - limit: the time after which SIGTERM is sent; SIGKILL follows five seconds later.
    ///   - onStart: called as soon as the program runs.
    /// - Throws: a ``Failure`` if the program can't be started.
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
        // The ID is not reused before the process is reaped, so no other process gets the signal.
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
                // Waiting blocks a thread, which must not be a thread that runs tasks.
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
        // Ends those children of the program that did not exit on SIGTERM.
        if wasLate { kill(-pid, SIGKILL) }
        let status = reap(pid)
        if wasLate { return Task.isCancelled ? .stopped : .tookTooLong }
        guard let status else {
            throw Failure(
                .inputOutput,
                "The exit status of \(arguments[0]) is unknown, because SIGCHLD is ignored here; "
                    + "start the receiver from a process that does not ignore it"
            )
        }
        return status & 0x7F == 0
            ? .exited(status: status >> 8 & 0xFF) : .killed(signal: status & 0x7F)
    }

    /// Waits for the end of the program, without reaping it.
    private static func awaitEnd(of pid: pid_t) {
        var info = siginfo_t()
        while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    }

    /// The status of the program; `nil` if the system withholds it.
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
        // The program starts with default signal handlers and no blocked signals.
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
        // The program reads nothing, and its output goes to standard error, because standard
        // output has a defined format.
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
                "\(arguments[0]) can't be started (\(String(cString: strerror(code)))); choose a "
                    + "program that exists and is executable"
            )
        }
        return pid
    }
}
