import Glibc

/// Reads bytes from a serial line and finds the datagrams in them. Only the I/O thread uses it, so
/// it needs no lock.
struct SerialReader: ~Copyable {
    /// The result of one wake-up.
    struct Harvest {
        var datagrams: [Datagram] = []
        /// Whether the kernel has nothing more to read at present.
        var isDrained = false
        var ending: CloseReason?
    }

    /// The size of the kernel's input buffer for a terminal.
    private static let bufferByteCount = 4096
    /// The maximum number of reads per wake-up, small enough that pending output never waits long.
    private static let readCountMax = 16

    private let port: SerialPort
    private let buffer: UnsafeMutableRawBufferPointer
    private var framing: any SerialFraming

    init(_ port: SerialPort, _ framing: any SerialFraming) {
        self.port = port
        self.framing = framing
        buffer = .allocate(byteCount: Self.bufferByteCount, alignment: 1)
    }

    deinit { buffer.deallocate() }

    /// Reads the available bytes, at most 64 KiB. The harvest contains everything that arrived
    /// before an ending.
    mutating func readBatch() -> Harvest {
        var harvest = Harvest()
        for _ in 0..<Self.readCountMax {
            switch port.read(into: buffer) {
            case .moved(let byteCount):
                decode(byteCount: byteCount, into: &harvest)
            case .wouldBlock:
                harvest.isDrained = true
                return harvest
            case .gone:
                harvest.ending = port.departure
                return harvest
            case .failed(let errno):
                harvest.ending = .failed(
                    "The system failed to read from the serial line: \(errno)."
                )
                return harvest
            }
        }
        return harvest
    }

    private mutating func decode(byteCount: Int, into harvest: inout Harvest) {
        for byte in buffer[..<byteCount] {
            if let datagram = framing.take(byte) { harvest.datagrams.append(datagram) }
        }
    }
}
