import BLEOTATestSupport
import Glibc
import SystemPackage
import Testing

@testable import BLEOTA

/// Serial lines as the system has them: what is opened, how, and what is not.
@Suite("Serial ports", .timeLimit(.minutes(1)))
struct SerialPortTests {
    private let line = SerialLine()
    private let directory = SocketDirectory()

    private var address: SerialAddress { SerialAddress(path: FilePath(line.path)) }

    @Test("A device passes every byte as it is, both ways, and echoes none")
    func raw() async throws {
        let port = try SerialPort.open(address)
        defer { port.close() }
        let all = Array(UInt8.min...UInt8.max)
        line.send(all)
        var seen: [UInt8] = []
        while seen.count < all.count, !Task.isCancelled {
            seen += read(port)
            await Task.yield()
        }
        #expect(seen == all)
        #expect(port.write(all[...]) == .moved(byteCount: all.count))
        #expect(await line.received(all.count) == all)
        port.drain()
        #expect(port.unsentByteCount == 0)
        #expect(line.received().isEmpty)
    }

    private func read(_ port: SerialPort) -> [UInt8] {
        withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { buffer in
            guard case .moved(let byteCount) = port.read(into: buffer) else { return [] }
            return Array(buffer[..<byteCount])
        }
    }

    @Test("A device has the rate it was given, eight bits, no parity and no flow control")
    func settings() throws {
        for rate in [nil] + BaudRate.all {
            let port = try SerialPort.open(SerialAddress(path: address.path, baudRate: rate))
            defer { port.close() }
            var settings = line.settings
            #expect(cfgetospeed(&settings) == (rate ?? .standard).code)
            #expect(settings.c_cflag & tcflag_t(CSIZE) == tcflag_t(CS8))
            #expect(settings.c_cflag & (tcflag_t(PARENB | CSTOPB) | tcflag_t(CRTSCTS)) == 0)
            #expect(settings.c_cflag & tcflag_t(CLOCAL | CREAD) == tcflag_t(CLOCAL | CREAD))
            #expect(settings.c_iflag & tcflag_t(IXON | IXOFF) == 0)
            #expect(settings.c_lflag & tcflag_t(ECHO | ICANON | ISIG) == 0)
            #expect(port.baudRate == rate ?? .standard)
        }
    }

    @Test("Rates are those that the system has a code for")
    func rates() {
        #expect(BaudRate.standard.bitsPerSecond == 115_200)
        #expect(BaudRate(bitsPerSecond: 115_200) == .standard)
        #expect(BaudRate(bitsPerSecond: 921_600)?.code == UInt32(B921600))
        for number in [-1, 0, 1, 115_201, .max] { #expect(BaudRate(bitsPerSecond: number) == nil) }
        let rates = BaudRate.all.map(\.bitsPerSecond)
        #expect(rates == rates.sorted() && Set(BaudRate.all.map(\.code)).count == rates.count)
    }

    @Test("A device that is open is busy for others, until it is closed")
    func busy() throws {
        for _ in 0..<3 {
            let port = try SerialPort.open(address)
            for _ in 0..<2 {
                #expect(throws: SerialError.busy(address.path)) { try SerialPort.open(address) }
            }
            port.close()
        }
    }

    @Test("What is no serial line is left alone")
    func notALine() throws {
        let listener = try SocketListener(path: directory.socket)
        defer { listener.close() }
        let file = directory.path.appending("file")
        close(file.withPlatformString { creat($0, 0o600) })
        for path in ["/dev/null", directory.path, file, directory.socket] as [FilePath] {
            #expect(throws: SerialError.notASerialLine(path)) {
                try SerialPort.open(SerialAddress(path: path))
            }
        }
    }

    @Test("Nothing at the path is no device, and nobody behind a socket is said")
    func missing() throws {
        let nowhere = directory.path.appending("nowhere")
        for path in [nowhere, "/dev/null/x"] {
            #expect(throws: SerialError.noSuchDevice(path)) {
                try SerialPort.open(SerialAddress(path: path))
            }
        }
        let stale = RawStreamListener(at: directory.socket)
        stale.close()
        #expect(throws: SerialError.nobodyListens(directory.socket)) {
            try SerialPort.open(SerialAddress(path: directory.socket))
        }
    }

    @Test("A socket has no rate")
    func rateOfSocket() throws {
        let listener = RawStreamListener(at: directory.socket)
        defer { listener.close() }
        let rate = BaudRate.standard
        #expect(throws: SerialError.rateOfSocket(directory.socket, rate)) {
            try SerialPort.open(SerialAddress(path: directory.socket, baudRate: rate))
        }
        let port = try SerialPort.open(SerialAddress(path: directory.socket))
        #expect(port.baudRate == nil)
        port.close()
    }

    @Test("A device that may not be opened", .enabled(if: geteuid() != 0, "root may open all"))
    func permission() throws {
        chmod(line.path, 0)
        #expect(throws: SerialError.permissionDenied(address.path)) {
            try SerialPort.open(address)
        }
    }

    @Test("A device that is gone is gone for who reads and who writes")
    func hangUp() throws {
        let port = try SerialPort.open(address)
        defer { port.close() }
        line.unplug()
        #expect(port.write([1]) == .gone)
        withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { buffer in
            #expect(port.read(into: buffer) == .gone)
        }
    }

    @Test("Each error is one sentence that names the path")
    func sentences() {
        let path: FilePath = "/dev/ttyX"
        let errors: [SerialError] = [
            .noSuchDevice(path), .notASerialLine(path), .permissionDenied(path), .busy(path),
            .nobodyListens(path), .rateRefused(path, .standard), .rateOfSocket(path, .standard),
        ]
        for error in errors {
            #expect(error.description.contains(path.string))
            #expect(error.description.hasSuffix("."))
        }
        let system = SerialError.system(call: "flock", .noLocks)
        #expect(system.description.contains("flock"))
    }
}
