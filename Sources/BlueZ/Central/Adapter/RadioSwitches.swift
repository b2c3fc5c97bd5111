import Glibc

/// The kernel's radio switches for the adapters. BlueZ 5.66 reports them only through its
/// experimental interfaces, so a blocked adapter looks as if it were merely off.
struct RadioSwitches: Sendable {
    /// The directory in which the kernel shows the switches.
    static let systemFolder = "/sys/class/bluetooth"

    private let folder: String

    /// - Parameter folder: a directory with one subdirectory per adapter, each with
    ///   `rfkill0/soft` and `rfkill0/hard`.
    init(folder: String) { self.folder = folder }

    /// The block on an adapter's radio; `nil` if there is none, or if the kernel does not report
    /// it.
    func block(of adapter: String) -> RadioBlock? {
        let switches = names(in: "\(folder)/\(adapter)").filter { $0.hasPrefix("rfkill") }
            .map { "\(folder)/\(adapter)/\($0)" }
        // A hardware block takes precedence, because only a person can lift it.
        if switches.contains(where: { isSet("\($0)/hard") }) { return .hard }
        return switches.contains { isSet("\($0)/soft") } ? .soft : nil
    }

    private func names(in path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            names.append(name)
        }
        return names
    }

    private func isSet(_ path: String) -> Bool {
        guard let file = fopen(path, "re") else { return false }
        defer { fclose(file) }
        return getc(file) == Int32(UInt8(ascii: "1"))
    }
}
