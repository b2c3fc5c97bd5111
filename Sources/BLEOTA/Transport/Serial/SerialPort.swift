import Glibc
import SystemPackage

/// A serial line that is open: a terminal device that passes every byte as it is, locked against
/// other processes; or a connected Unix stream socket. No call blocks but ``drain()``.
struct SerialPort: Sendable {
    enum Outcome: Sendable, Hashable {
        /// At least one.
        case moved(byteCount: Int)
        /// The kernel has no room, or nothing to read.
        case wouldBlock
        /// The line hung up: the device is gone, or the peer.
        case gone
        case failed(Errno)
    }

    let descriptor: Int32
    /// `nil` for a socket.
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

    /// Looked at before it is opened: opening alone does something to some files.
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
        // Without waiting for a carrier, and not as the terminal that may stop this process.
        let flags = O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC
        let descriptor = path.withPlatformString { path in Glibc.open(path, flags) }
        if descriptor < 0 { throw failure(of: "open", at: path) }
        do throws(SerialError) {
            guard isatty(descriptor) == 1 else { throw .notASerialLine(path) }
            // Two who read would each get a part. The lock ends with the descriptor, also when the
            // process is killed, and holds for root, which TIOCEXCL does not.
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

    /// Eight bits, no parity, one stop bit, no flow control, and every byte as it is.
    private static func configure(
        _ descriptor: Int32,
        _ path: FilePath,
        _ rate: BaudRate
    ) throws(SerialError) {
        var settings = termios()
        // A port that the kernel names and no chip is behind opens all the same.
        if tcgetattr(descriptor, &settings) != 0 { throw .noSuchDevice(path) }
        cfmakeraw(&settings)
        settings.c_iflag &= ~tcflag_t(IXOFF | IXANY | INPCK)
        settings.c_cflag &= ~(tcflag_t(CSTOPB) | tcflag_t(CRTSCTS))
        // A board that is reset by DTR must not be, each time that a link is made again.
        settings.c_cflag &= ~tcflag_t(HUPCL)
        settings.c_cflag |= tcflag_t(CLOCAL | CREAD)
        // A read without bytes then is no end of file.
        withUnsafeMutableBytes(of: &settings.c_cc) { characters in
            characters[Int(VMIN)] = 1
            characters[Int(VTIME)] = 0
        }
        if cfsetspeed(&settings, rate.code) != 0 { throw .rateRefused(path, rate) }
        if tcsetattr(descriptor, TCSANOW, &settings) != 0 { throw .rateRefused(path, rate) }
        // The call succeeds when it could do anything at all of what was asked.
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
        // It keeps datagrams apart, and is no line.
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
            // Nothing is ever written that is empty, and reading ends with a hang-up alone.
            if byteCount == 0 { return .gone }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wouldBlock
            case EIO, ENXIO, ENODEV, EPIPE, ECONNRESET, ENOTCONN: return .gone
            default: return .failed(SocketCalls.lastErrno)
            }
        }
    }

    /// What the kernel has still to send, in bytes; 0 for a socket, whose peer has it all.
    var unsentByteCount: Int {
        var count: Int32 = 0
        guard baudRate != nil, ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 else { return 0 }
        return Int(count)
    }

    /// Waits until the last byte is on the line, which takes as long as the chip's own memory
    /// where ``unsentByteCount`` is 0.
    func drain() {
        guard baudRate != nil else { return }
        while tcdrain(descriptor) != 0, errno == EINTR {}
    }

    /// Gives the descriptor back, and the lock with it. What the kernel has to send may hold it up,
    /// 30 seconds at most on Linux.
    func close() {
        // A process that is just being started has the descriptor too, and would keep the lock.
        if baudRate != nil { flock(descriptor, LOCK_UN) }
        _ = Glibc.close(descriptor)
    }

    /// Why a link ends when its line has gone.
    var departure: CloseReason {
        baudRate == nil
            ? .remote
            : .failed("The serial line hung up; is its device still plugged in?")
    }
}
