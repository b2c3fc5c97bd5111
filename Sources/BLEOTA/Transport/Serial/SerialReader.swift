import Glibc

/// Reads what comes over a serial line and finds the datagrams in it. It belongs to the I/O thread
/// alone and knows neither locks nor tasks.
struct SerialReader: ~Copyable {
    /// What one wake-up brought in.
    struct Harvest {
        var datagrams: [Datagram] = []
        /// The kernel has no more just now.
        var isDrained = false
        var ending: CloseReason?
    }

    /// What the kernel holds of a terminal's input.
    private static let bufferByteCount = 4096
    /// Reads of a wake-up: few enough that what waits to be sent never waits long.
    private static let readCountMax = 16

    private let port: SerialPort
    private let buffer: UnsafeMutableRawBufferPointer
    private var decoder = SLIPDecoder(byteCountMax: SerialPacket.byteCountMax)

    init(_ port: SerialPort) {
        self.port = port
        buffer = .allocate(byteCount: Self.bufferByteCount, alignment: 1)
    }

    deinit { buffer.deallocate() }

    /// Takes what is there, and no more than 64 KiB. All that came before an ending is in the
    /// harvest.
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
                    "The system refused to read from the serial line: \(errno)."
                )
                return harvest
            }
        }
        return harvest
    }

    private mutating func decode(byteCount: Int, into harvest: inout Harvest) {
        for byte in buffer[..<byteCount] {
            guard let packet = decoder.take(byte), let datagram = SerialPacket.parsed(packet)
            else { continue }
            harvest.datagrams.append(datagram)
        }
    }
}
