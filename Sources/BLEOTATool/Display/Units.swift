/// Numbers as text.
enum Units {
    /// A number with grouped digits: `1,048,576`.
    static func grouped(_ number: Int) -> String {
        let digits = String(abs(number))
        var grouped = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { grouped += "," }
            grouped.append(digit)
        }
        return number < 0 ? "-" + grouped : grouped
    }

    /// A rate such as `41.2 kB/s`, with k = 1,000.
    static func rate(_ bytesPerSecond: Double) -> String {
        switch bytesPerSecond {
        case ..<1_000: "\(Int(bytesPerSecond)) B/s"
        case ..<1_000_000: "\(oneDecimal(bytesPerSecond / 1_000)) kB/s"
        default: "\(oneDecimal(bytesPerSecond / 1_000_000)) MB/s"
        }
    }

    /// A time such as `19 ms`, `4.4 s`, `2 min 5 s` or `1 h 3 min`.
    static func time(_ seconds: Double) -> String {
        switch seconds {
        case ..<0.95: return "\(Int((seconds * 1_000).rounded(.up))) ms"
        case ..<60: return "\(oneDecimal(seconds)) s"
        case ..<3_600: return "\(Int(seconds) / 60) min \(Int(seconds) % 60) s"
        default: return "\(Int(seconds) / 3_600) h \(Int(seconds) / 60 % 60) min"
        }
    }

    /// A time in whole seconds, for estimates: `12 s`, `2 min 05 s` or `1 h 03 min`.
    static func wholeTime(_ seconds: Double) -> String {
        let seconds = Int(min(max(seconds, 0), 1e9).rounded(.up))
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        switch seconds {
        case ..<60: return "\(seconds) s"
        case ..<3_600: return "\(seconds / 60) min \(two(seconds % 60)) s"
        default: return "\(seconds / 3_600) h \(two(seconds / 60 % 60)) min"
        }
    }

    private static func oneDecimal(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
