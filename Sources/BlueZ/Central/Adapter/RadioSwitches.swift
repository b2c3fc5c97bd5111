import Glibc

/// The kernel's switches of the adapters' radios. BlueZ 5.66 tells of them only with its
/// experimental interfaces, so that an adapter that is blocked looks as if it were just off.
struct RadioSwitches: Sendable {
    /// Where the kernel shows them.
    static let systemFolder = "/sys/class/bluetooth"

    private let folder: String

    /// - Parameter folder: has a folder for each adapter, with `rfkill0/soft` and `rfkill0/hard`.
    init(folder: String) { self.folder = folder }

    /// What blocks an adapter; `nil` if nothing does, or the kernel does not say.
    func block(of adapter: String) -> RadioBlock? {
        let switches = names(in: "\(folder)/\(adapter)").filter { $0.hasPrefix("rfkill") }
            .map { "\(folder)/\(adapter)/\($0)" }
        // What only a hand can undo comes first.
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
