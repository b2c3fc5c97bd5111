import Glibc

/// A serial line speed that the system supports.
package struct BaudRate: Sendable, Hashable {
    /// 115,200, the initial speed of most boards and adapters.
    package static let standard = BaudRate(bitsPerSecond: 115_200, code: UInt32(B115200))

    /// All speeds, in ascending order.
    package static let all: [BaudRate] = [
        (1_200, B1200), (2_400, B2400), (4_800, B4800), (9_600, B9600), (19_200, B19200),
        (38_400, B38400), (57_600, B57600), (115_200, B115200), (230_400, B230400),
        (460_800, B460800), (500_000, B500000), (576_000, B576000), (921_600, B921600),
        (1_000_000, B1000000), (1_152_000, B1152000), (1_500_000, B1500000), (2_000_000, B2000000),
        (2_500_000, B2500000), (3_000_000, B3000000), (3_500_000, B3500000), (4_000_000, B4000000),
    ].map { rate, code in BaudRate(bitsPerSecond: rate, code: UInt32(code)) }

    /// Bits on the line per second. Each byte takes ten of them.
    package let bitsPerSecond: Int

    /// The value for `cfsetspeed`.
    let code: UInt32

    private init(bitsPerSecond: Int, code: UInt32) {
        self.bitsPerSecond = bitsPerSecond
        self.code = code
    }

    /// Returns the speed of `bitsPerSecond` bits per second; `nil` if the system doesn't support
    /// it.
    package init?(bitsPerSecond: Int) {
        guard let rate = Self.all.first(where: { $0.bitsPerSecond == bitsPerSecond }) else {
            return nil
        }
        self = rate
    }
}

extension BaudRate: CustomStringConvertible {
    /// The number of bits per second.
    package var description: String { "\(bitsPerSecond)" }
}
