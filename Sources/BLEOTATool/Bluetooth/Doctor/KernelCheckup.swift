#if BlueZ
import Glibc

/// Checks whether the kernel has a known bug that stops the daemon.
enum KernelCheckup {
    /// Checks the kernel of this machine.
    static func finding() -> Finding {
        var names = utsname()
        guard uname(&names) == 0 else { return finding(release: "", build: "") }
        return finding(release: text(of: names.release), build: text(of: names.version))
    }

    /// - Parameters:
    ///   - release: the release that `uname -r` prints, such as `6.1.0-44-amd64`.
    ///   - build: the version that `uname -v` prints; Debian's contains the version of the source
    ///     package, as in `Debian 6.1.170-1`.
    static func finding(release: String, build: String) -> Finding {
        let words = build.split(separator: " ")
        let named = words.firstIndex(of: "Debian").map { words[words.index(after: $0)...] }?.first
        let source = String((named ?? release[...]).prefix { $0 != "-" })
        // Seen with 6.1.192 when a device drops a link during setup, but not with 6.12.
        guard source.hasPrefix("6.1.") else { return Finding(.ok, "kernel", source) }
        return Finding(
            .note,
            "kernel",
            "\(source): 6.1 kernels can crash in hci_chan_del when a link is dropped during setup, "
                + "which stops the daemon",
            remedy: "use kernel 6.12 or later; if the daemon has stopped, restart the machine"
        )
    }

    /// The text in an array of characters, which Swift imports as a tuple.
    private static func text<Characters>(of characters: Characters) -> String {
        withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
#endif
