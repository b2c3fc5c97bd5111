import Glibc

/// The circumstances of a measurement, to be reported with its figures.
struct MachineFacts {
    /// The peer, as the user calls it.
    let link: String
    /// The adapter, such as `hci0`; `nil` unless the link is over Bluetooth.
    var adapter: String?
    var adapterAddress: String?
    /// The release of BlueZ; `nil` if it is unknown.
    var daemonVersion: String?

    var isBluetooth: Bool { adapter != nil }

    /// The name and release of the kernel.
    let kernel = Self.kernelNow()
    /// The time in UTC, such as `2026-01-31T12:34:56Z`.
    let date = Self.dateNow()

    init(link: String) { self.link = link }

    private static func kernelNow() -> String {
        var name = utsname()
        guard uname(&name) == 0 else { return "unknown" }
        return "\(text(name.sysname)) \(text(name.release)) \(text(name.machine))"
    }

    /// The text in an array of characters, which Swift imports as a tuple.
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
