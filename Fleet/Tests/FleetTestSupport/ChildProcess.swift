package import Glibc
import Synchronization

/// A process that is killed when it is released, by its own number, and by the system if this
/// process is killed.
package final class ChildProcess: @unchecked Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    package let id: pid_t
    private var status: Int32?

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - output: the file to which it prints, also its errors.
    ///   - variables: additions to its environment, as `NAME=VALUE`.
    package init(_ words: [String], output: String, variables: [String] = []) throws {
        let started = Mutex<pid_t?>(nil)
        // setpriv becomes the program.
        let whole = ["setpriv", "--pdeathsig", "KILL", "--"] + words
        StartingThread.run {
            let id = Self.start(whole, output, variables)
            started.withLock { $0 = id }
        }
        guard let id = started.withLock({ $0 }) else {
            throw Failure(description: "\(words[0]) can't be started")
        }
        self.id = id
    }

    private static func start(
        _ words: [String],
        _ output: String,
        _ variables: [String]
    ) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let flags = O_WRONLY | O_CREAT | O_APPEND
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, flags, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        let arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        let added = variables.map { strdup($0) }
        defer { for variable in added { free(variable) } }
        var environment = added
        var next = environ
        while let variable = next.pointee {
            environment.append(variable)
            next += 1
        }
        environment.append(nil)
        var id = pid_t(0)
        let error = posix_spawnp(&id, words[0], &actions, nil, arguments, environment)
        return error == 0 ? id : nil
    }

    deinit { kill() }

    /// Ends the process as a power cut does, and waits until it is gone.
    package func kill() {
        guard status == nil else { return }
        Glibc.kill(id, SIGKILL)
        _ = wait()
    }

    /// Stops the process where it is, until ``goOn()``.
    package func halt() { send(SIGSTOP) }

    package func goOn() { send(SIGCONT) }

    /// The code with which the process has ended; `nil` while it runs.
    package var endCode: Int32? {
        guard status == nil else { return status }
        var ended: Int32 = 0
        if waitpid(id, &ended, WNOHANG) == id { status = Self.code(ended) }
        return status
    }

    /// Asks the process to end, as systemd does.
    package func terminate() { send(SIGTERM) }

    package func send(_ signal: Int32) {
        if status == nil { Glibc.kill(id, signal) }
    }

    /// Waits for the end as ``wait()`` does, but leaves the thread to the work that the process may
    /// be waiting for.
    package func end(within limit: Duration = .seconds(120)) async throws -> Int32 {
        try await eventually("process \(id) ends", within: limit) { endCode != nil }
        return wait()
    }

    /// Waits for the end, and returns the exit code; a number above 255 for a signal.
    package func wait() -> Int32 {
        if let status { return status }
        var ended: Int32 = 0
        while waitpid(id, &ended, 0) < 0, errno == EINTR {}
        let code = Self.code(ended)
        status = code
        return code
    }

    private static func code(_ ended: Int32) -> Int32 {
        ended & 0x7F == 0 ? ended >> 8 & 0xFF : 256 + (ended & 0x7F)
    }

    /// Runs a program to its end, and returns what it printed.
    package static func output(of words: [String], in folder: TestFolder) throws -> String {
        let path = folder.path("output-\(words.count)-\(UInt32.random(in: 0 ... .max))")
        let code = try ChildProcess(words, output: path).wait()
        let text = String(decoding: TestFolder.read(path) ?? [], as: UTF8.self)
        guard code == 0 else { throw Failure(description: "\(words): \(code)\n\(text)") }
        return text
    }
}
