import Glibc

/// A speed of serial lines that the system knows.
package struct BaudRate: Sendable, Hashable {
    /// 115,200, what most boards and adapters begin with.
    package static let standard = BaudRate(bitsPerSecond: 115_200, code: UInt32(B115200))

    /// All there are, slow ones first.
    package static let all: [BaudRate] = [
        (1_200, B1200), (2_400, B2400), (4_800, B4800), (9_600, B9600), (19_200, B19200),
        (38_400, B38400), (57_600, B57600), (115_200, B115200), (230_400, B230400),
        (460_800, B460800), (500_000, B500000), (576_000, B576000), (921_600, B921600),
        (1_000_000, B1000000), (1_152_000, B1152000), (1_500_000, B1500000), (2_000_000, B2000000),
        (2_500_000, B2500000), (3_000_000, B3000000), (3_500_000, B3500000), (4_000_000, B4000000),
    ].map { rate, code in BaudRate(bitsPerSecond: rate, code: UInt32(code)) }

    /// Bits on the line in a second, of which a byte takes ten.
    package let bitsPerSecond: Int

    /// What `cfsetspeed` calls it.
    let code: UInt32

    private init(bitsPerSecond: Int, code: UInt32) {
        self.bitsPerSecond = bitsPerSecond
        self.code = code
    }

    /// The rate of so many bits in a second; `nil` if the system has none.
    package init?(bitsPerSecond: Int) {
        guard let rate = Self.all.first(where: { $0.bitsPerSecond == bitsPerSecond }) else {
            return nil
        }
        self = rate
    }
}

extension BaudRate: CustomStringConvertible {
    /// The bits in a second, as a number.
    package var description: String { "\(bitsPerSecond)" }
}
