import Foundation

/// How long the processor worked for each program so far, in hundredths of a second: those with a
/// part in a transfer over Bluetooth, the rest of the machine, and idle.
struct ProcessorTimes: CustomStringConvertible {
    private static let programs = [
        "btvirt", "bluetoothd", "dbus-daemon", "bleota", "BluetoothSpeed",
    ]

    private(set) var ticks: [String: Int] = [:]

    /// What `/proc` says now.
    static var now: ProcessorTimes {
        var times = ProcessorTimes()
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        for folder in folders where Int(folder) != nil {
            guard let text = try? String(contentsOfFile: "/proc/\(folder)/stat", encoding: .utf8),
                let open = text.firstIndex(of: "("), let close = text.lastIndex(of: ")")
            else { continue }
            let name = String(text[text.index(after: open)..<close])
            let fields = text[close...].split(separator: " ")
            guard programs.contains(name), fields.count > 13 else { continue }
            times.ticks[name + " user", default: 0] += Int(fields[12]) ?? 0
            times.ticks[name + " system", default: 0] += Int(fields[13]) ?? 0
        }
        let total = (try? String(contentsOfFile: "/proc/stat", encoding: .utf8)) ?? ""
        let fields = total.split(separator: "\n").first?.split(separator: " ") ?? []
        let numbers = fields.compactMap { Int($0) }
        guard numbers.count > 6 else { return times }
        times.ticks["all user"] = numbers[0] + numbers[1]
        times.ticks["all system"] = numbers[2] + numbers[5] + numbers[6]
        times.ticks["idle"] = numbers[3] + numbers[4]
        return times
    }

    static func - (later: ProcessorTimes, earlier: ProcessorTimes) -> ProcessorTimes {
        var difference = ProcessorTimes()
        for (name, ticks) in later.ticks {
            difference.ticks[name] = ticks - earlier.ticks[name, default: 0]
        }
        return difference
    }

    var description: String {
        ticks.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value * 10) ms" }
            .joined(separator: ", ")
    }
}
