import Glibc

/// How this process names itself to people who read of what it did.
package enum ThisProcess {
    /// Its user, its machine and its number: `root on host-1, process 4711`.
    package static var description: String { "\(user) on \(machine), process \(getpid())" }

    private static var user: String {
        let number = geteuid()
        // Large enough for any line of a file of users; a directory may say that it isn't.
        var text = [CChar](repeating: 0, count: 4_096)
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        guard getpwuid_r(number, &entry, &text, text.count, &found) == 0, found != nil,
            let name = entry.pw_name
        else { return "user \(number)" }
        return String(cString: name)
    }

    private static var machine: String {
        // Linux has names of 64 bytes at most.
        var name = [CChar](repeating: 0, count: 65)
        guard gethostname(&name, name.count - 1) == 0 else { return "an unknown machine" }
        let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
