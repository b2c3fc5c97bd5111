import Glibc

/// Where a measurement is made: what has to stand beside its figures.
struct MachineFacts {
    /// The other end, as the user calls it.
    let link: String
    /// The adapter, such as hci0; `nil` where the link is none of Bluetooth.
    var adapter: String?
    var adapterAddress: String?
    /// The release of BlueZ; `nil` where it is not known.
    var daemonVersion: String?

    var isBluetooth: Bool { adapter != nil }

    /// Name and release of the kernel.
    let kernel = Self.kernelNow()
    /// In UTC, as 2026-01-31T12:34:56Z.
    let date = Self.dateNow()

    init(link: String) { self.link = link }

    private static func kernelNow() -> String {
        var name = utsname()
        guard uname(&name) == 0 else { return "unknown" }
        return "\(text(name.sysname)) \(text(name.release)) \(text(name.machine))"
    }

    /// Of an array of characters that C imports as a tuple.
    private static func text(_ field: some Any) -> String {
        withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    private static func dateNow() -> String {
        var seconds = time(nil)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var buffer = [CChar](repeating: 0, count: 32)
        let count = strftime(&buffer, buffer.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
