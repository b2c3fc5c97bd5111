import DBus
import Glibc
import Synchronization

/// A dbus-daemon of one test, in a directory of its own; killed and removed with this.
final class PrivateBus: Sendable {
    /// Why there is none.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// What the bus does for a name that nobody has.
    enum Activation { case none, failing }

    private let directory: String
    private let pid = Mutex<pid_t?>(nil)

    /// - Parameters:
    ///   - activation: what the bus does with a call to a Bluetooth daemon that does not run.
    ///   - rule: another line of the policy, such as what is denied.
    init(activation: Activation = .none, rule: String = "") throws {
        var template = Array("/tmp/bleota-bus-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil, "can't make a directory in /tmp")
        directory = String(decoding: template.dropLast().map(UInt8.init), as: UTF8.self)
        try write(Self.configuration(directory, activation, rule), to: "bus.conf")
        if activation == .failing {
            let text = "[D-BUS Service]\nName=org.bluez\nExec=/bin/false\n"
            try write(text, to: "org.bluez.service")
        }
        try start()
    }

    deinit {
        kill()
        for name in ["bus.conf", "org.bluez.service"] { unlink("\(directory)/\(name)") }
        rmdir(directory)
    }

    var address: BusAddress { .at(addressText) }

    /// The address as a setting of the environment has it.
    var addressText: String { "unix:path=\(directory)/bus" }

    func connect() async throws -> BusConnection { try await BusConnection.open(address) }

    /// Everybody may do everything but for that rule.
    private static func configuration(
        _ directory: String,
        _ activation: Activation,
        _ rule: String
    ) -> String {
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>session</type>
          <listen>unix:path=\(directory)/bus</listen>
          <auth>EXTERNAL</auth>
          \(activation == .failing ? "<servicedir>\(directory)</servicedir>" : "")
          <policy context="default">
            <allow user="*"/>
            <allow own="*"/>
            <allow send_destination="*" eavesdrop="false"/>
            <allow receive_sender="*"/>
            \(rule)
          </policy>
          <limit name="max_replies_per_connection">128</limit>
        </busconfig>

        """
    }

    private func write(_ text: String, to name: String) throws {
        let file = fopen("\(directory)/\(name)", "we")
        guard let file, fputs(text, file) >= 0, fclose(file) == 0 else {
            throw Failure(description: "can't write \(directory)/\(name)")
        }
    }

    /// Starts it, also again, and returns once it listens.
    func start() throws {
        var ends: [CInt] = [-1, -1]
        precondition(pipe(&ends) == 0, "no pipe: \(errno)")
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        let arguments = [
            "dbus-daemon", "--config-file=\(directory)/bus.conf", "--nofork", "--print-address=1",
        ]
        let (started, result) = Self.spawn(arguments, output: ends[1])
        close(ends[1])
        guard result == 0 else {
            throw Failure(
                description: "dbus-daemon does not start (errno \(result)): "
                    + "scripts/packages.sh installs it"
            )
        }
        pid.withLock { $0 = started }
        var request = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
        var byte: UInt8 = 0
        guard poll(&request, 1, 20_000) == 1, read(ends[0], &byte, 1) == 1 else {
            throw Failure(description: "dbus-daemon ended before it listened")
        }
    }

    private static func spawn(_ arguments: [String], output: CInt) -> (pid_t, CInt) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        // What this thread does with signals is not for others: the bus waits for its children.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigaddset(&signals, SIGCHLD)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        posix_spawnattr_setflags(&attributes, Int16(flags))
        // A test in a process of its own is over when nobody has its pipes any more.
        for other in 3..<CInt(1024) { posix_spawn_file_actions_addclose(&actions, other) }
        var texts = arguments.map { strdup($0) } + [nil]
        defer { for text in texts { free(text) } }
        var pid: pid_t = 0
        let result = posix_spawnp(&pid, arguments[0], &actions, &attributes, &texts, environ)
        return (pid, result)
    }

    /// Sends a signal to one connection, as a stranger, and returns when the bus has it.
    func send(_ signal: String, to name: String, _ arguments: [String]) throws {
        let (sender, result) = Self.spawn(
            [
                "dbus-send", "--bus=unix:path=\(directory)/bus", "--dest=\(name)",
                "--type=signal", "/", signal,
            ] + arguments,
            output: 2
        )
        guard result == 0 else { throw Failure(description: "no dbus-send (errno \(result))") }
        var status: CInt = 0
        waitpid(sender, &status, 0)
        guard status == 0 else { throw Failure(description: "dbus-send failed (\(status))") }
    }

    /// It takes nothing until it is resumed.
    func pause() {
        guard let pid = pid.withLock({ $0 }) else { return }
        Glibc.kill(pid, SIGSTOP)
        waitpid(pid, nil, WUNTRACED)
    }

    func resume() {
        guard let pid = pid.withLock({ $0 }) else { return }
        Glibc.kill(pid, SIGCONT)
    }

    /// Kills it, as if it had crashed.
    func kill() {
        guard let pid = pid.withLock({ $0.take() }) else { return }
        Glibc.kill(pid, SIGKILL)
        waitpid(pid, nil, 0)
        unlink("\(directory)/bus")
    }
}
