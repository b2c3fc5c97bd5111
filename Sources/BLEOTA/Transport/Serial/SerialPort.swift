import Glibc
import SystemPackage

/// An open serial line: either a terminal device in raw mode, locked against other processes, or a
/// connected Unix stream socket. Only ``drain()`` and ``close()`` may block.
struct SerialPort: Sendable {
    enum Outcome: Sendable, Hashable {
        /// At least one byte was moved.
        case moved(byteCount: Int)
        /// The kernel has no room for more bytes, or has no bytes to read.
        case wouldBlock
        /// The line hung up: the device or the peer is gone.
        case gone
        case failed(Errno)
    }

    let descriptor: Int32
    /// The speed of a device; `nil` for a socket.
    let baudRate: BaudRate?

    static func open(_ address: SerialAddress) throws(SerialError) -> SerialPort {
        let path = address.path
        switch try fileType(path) {
        case S_IFCHR: return try openTerminal(path, address.baudRate ?? .standard)
        case S_IFSOCK:
            if let rate = address.baudRate { throw .rateOfSocket(path, rate) }
            return try connect(to: path)
        default: throw .notASerialLine(path)
        }
    }

    /// The type of a file. It is examined before the file is opened, because opening alone affects
    /// some files.
    private static func fileType(_ path: FilePath) throws(SerialError) -> mode_t {
        var status = stat()
        guard path.withPlatformString({ path in stat(path, &status) }) == 0 else {
            throw failure(of: "stat", at: path)
        }
        return status.st_mode & S_IFMT
    }

    private static func failure(of call: String, at path: FilePath) -> SerialError {
        switch errno {
        case ENOENT, ENOTDIR, ENXIO, ENODEV: .noSuchDevice(path)
        case EACCES, EPERM: .permissionDenied(path)
        case EBUSY: .busy(path)
        default: .system(call: call, SocketCalls.lastErrno)
        }
    }

    // MARK: Terminals

    private static func openTerminal(
        _ path: FilePath,
        _ rate: BaudRate
    ) throws(SerialError) -> SerialPort {
        // Don't wait for a carrier, and don't make the line the controlling terminal of this
        // process.
        let flags = O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC
        let descriptor = path.withPlatformString { path in Glibc.open(path, flags) }
        if descriptor < 0 { throw failure(of: "open", at: path) }
        do throws(SerialError) {
            guard isatty(descriptor) == 1 else { throw .notASerialLine(path) }
            // Two readers would each get only some of the bytes. The lock is released when the
            // descriptor is closed, even if the process is killed. Unlike TIOCEXCL, it also
            // applies to root.
            if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
                if errno == EWOULDBLOCK { throw .busy(path) }
                throw .system(call: "flock", SocketCalls.lastErrno)
            }
            try configure(descriptor, path, rate)
        } catch {
            _ = Glibc.close(descriptor)
            throw error
        }
        return SerialPort(descriptor: descriptor, baudRate: rate)
    }

    /// Sets eight bits, no parity, one stop bit, no flow control and raw mode.
    private static func configure(
        _ descriptor: Int32,
        _ path: FilePath,
        _ rate: BaudRate
    ) throws(SerialError) {
        var settings = termios()
        // A port that the kernel lists can be opened even if it has no hardware.
        if tcgetattr(descriptor, &settings) != 0 { throw .noSuchDevice(path) }
        cfmakeraw(&settings)
        settings.c_iflag &= ~tcflag_t(IXOFF | IXANY | INPCK)
        settings.c_cflag &= ~(tcflag_t(CSTOPB) | tcflag_t(CRTSCTS))
        // DTR resets some boards. A board must not be reset each time a link is re-established.
        settings.c_cflag &= ~tcflag_t(HUPCL)
        settings.c_cflag |= tcflag_t(CLOCAL | CREAD)
        // With these values, a read without bytes doesn't look like an end of file.
        withUnsafeMutableBytes(of: &settings.c_cc) { characters in
            characters[Int(VMIN)] = 1
            characters[Int(VTIME)] = 0
        }
        if cfsetspeed(&settings, rate.code) != 0 { throw .rateRefused(path, rate) }
        if tcsetattr(descriptor, TCSANOW, &settings) != 0 { throw .rateRefused(path, rate) }
        // The call succeeds even if only some of the settings could be applied.
        var actual = termios()
        if tcgetattr(descriptor, &actual) != 0 || cfgetospeed(&actual) != rate.code {
            throw .rateRefused(path, rate)
        }
    }

    // MARK: Sockets

    private static func connect(to path: FilePath) throws(SerialError) -> SerialPort {
        let (address, descriptor): (SocketAddress, Int32)
        do throws(SocketError) {
            address = try SocketAddress(path)
            descriptor = try SocketCalls.makeSocket(SOCK_STREAM)
        } catch {
            throw SerialError(error)
        }
        guard let errno = address.connect(descriptor) else {
            return SerialPort(descriptor: descriptor, baudRate: nil)
        }
        _ = Glibc.close(descriptor)
        switch errno {
        case .connectionRefused, .noSuchFileOrDirectory: throw .nobodyListens(path)
        case .resourceTemporarilyUnavailable: throw .busy(path)
        case .permissionDenied: throw .permissionDenied(path)
        // The socket is of a type that preserves datagram boundaries, so it is not a line.
        case Errno(rawValue: EPROTOTYPE): throw .notASerialLine(path)
        default: throw .system(call: "connect", errno)
        }
    }

    // MARK: Bytes

    func write(_ bytes: ArraySlice<UInt8>) -> Outcome {
        bytes.withUnsafeBytes { bytes in
            outcome {
                baudRate == nil
                    ? send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
                    : Glibc.write(descriptor, bytes.baseAddress, bytes.count)
            }
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        outcome { Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
    }

    private func outcome(of call: () -> Int) -> Outcome {
        while true {
            let byteCount = call()
            if byteCount > 0 { return .moved(byteCount: byteCount) }
            // Empty writes never occur, and a read returns 0 only after a hang-up.
            if byteCount == 0 { return .gone }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wouldBlock
            case EIO, ENXIO, ENODEV, EPIPE, ECONNRESET, ENOTCONN: return .gone
            default: return .failed(SocketCalls.lastErrno)
            }
        }
    }

    /// The number of bytes that the kernel has yet to send; 0 for a socket, whose peer already has
    /// all bytes.
    var unsentByteCount: Int {
        var count: Int32 = 0
        guard baudRate != nil, ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 else { return 0 }
        return Int(count)
    }

    /// Waits until the last byte is on the line. If ``unsentByteCount`` is 0, this takes only as
    /// long as the chip needs to send its own buffer.
    func drain() {
        guard baudRate != nil else { return }
        while tcdrain(descriptor) != 0, errno == EINTR {}
    }

    /// Closes the descriptor, which also releases the lock. Unsent bytes in the kernel may delay
    /// this, on Linux by at most 30 seconds.
    func close() {
        // A child process that is being started shares the descriptor, and would keep the lock.
        if baudRate != nil { flock(descriptor, LOCK_UN) }
        _ = Glibc.close(descriptor)
    }

    /// The close reason of a link whose line has hung up.
    var departure: CloseReason {
        baudRate == nil
            ? .remote
            : .failed("The serial line hung up; check that its device is still plugged in.")
    }
}
