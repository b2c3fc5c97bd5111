#if BlueZ
import Glibc

/// The daemon's `main.conf`: sections with lines of the form `Key = Value`. Lines that begin with
/// `#` are comments.
struct DaemonConfiguration {
    static let path = "/etc/bluetooth/main.conf"
    private static let byteCountMax = 1 << 20

    private var values: [String: String] = [:]

    /// Parses a text.
    init(_ text: String) {
        var section = ""
        for line in text.split(separator: "\n") {
            let line = String(line.drop { $0 == " " || $0 == "\t" })
            if line.hasPrefix("[") {
                section = String(line.dropFirst().prefix { $0 != "]" })
            } else if !line.hasPrefix("#"), let sign = line.firstIndex(of: "=") {
                let key = line[..<sign].filter { $0 != " " && $0 != "\t" }
                let value = line[line.index(after: sign)...].filter { $0 != " " && $0 != "\r" }
                values["\(section).\(key)"] = value
            }
        }
    }

    /// Reads the file; the result is empty if it can't be read.
    static func read(_ path: String = Self.path) -> DaemonConfiguration {
        guard let file = fopen(path, "r") else { return DaemonConfiguration("") }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: byteCountMax)
        let count = fread(&bytes, 1, bytes.count, file)
        return DaemonConfiguration(String(decoding: bytes[..<count], as: UTF8.self))
    }

    /// The value of a key such as `GATT.Channels`.
    subscript(key: String) -> String? { values[key] }

    func number(_ key: String) -> Int? { values[key].flatMap { Int($0) } }
}
#endif
