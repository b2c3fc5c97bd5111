import Glibc
import Synchronization
import Testing

@testable import DBus

/// A dbus-daemon of one test, in a directory of its own; killed and removed with this.
final class PrivateBus: Sendable {
    /// Why there is none.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let directory: String
    private let pid = Mutex<pid_t?>(nil)

    init() throws {
        var template = Array("/tmp/bleota-bus-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil, "can't make a directory in /tmp")
        directory = String(decoding: template.dropLast().map(UInt8.init), as: UTF8.self)
        try writeConfiguration()
        try start()
    }

    deinit {
        kill()
        unlink("\(directory)/bus.conf")
        rmdir(directory)
    }

    var address: BusAddress { .at("unix:path=\(directory)/bus") }

    func connect() async throws -> BusConnection { try await BusConnection.open(address) }

    /// Everybody may do everything, but only as much at once as on the bus of a machine.
    private func writeConfiguration() throws {
        let text = """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <type>system</type>
              <listen>unix:path=\(directory)/bus</listen>
              <auth>EXTERNAL</auth>
              <policy context="default">
                <allow user="*"/>
                <allow own="*"/>
                <allow send_destination="*"/>
                <allow receive_sender="*"/>
              </policy>
              <limit name="max_replies_per_connection">128</limit>
            </busconfig>

            """
        let file = fopen("\(directory)/bus.conf", "we")
        guard let file, fputs(text, file) >= 0, fclose(file) == 0 else {
            throw Failure(description: "can't write \(directory)/bus.conf")
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
        // A test in a process of its own is over when nobody has its pipes any more.
        for other in 3..<CInt(1024) { posix_spawn_file_actions_addclose(&actions, other) }
        var texts = arguments.map { strdup($0) } + [nil]
        defer { for text in texts { free(text) } }
        var pid: pid_t = 0
        let result = posix_spawnp(&pid, arguments[0], &actions, nil, &texts, environ)
        return (pid, result)
    }

    /// Kills it, as if it had crashed.
    func kill() {
        guard let pid = pid.withLock({ $0.take() }) else { return }
        Glibc.kill(pid, SIGKILL)
        waitpid(pid, nil, 0)
        unlink("\(directory)/bus")
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
}
