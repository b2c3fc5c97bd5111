import Foundation
package import Glibc

/// A pseudo-terminal as a serial line: what is written to `far` comes in at the device, and what is
/// sent there can be read from it.
package final class SerialLine: @unchecked Sendable {
    /// The other end of the line, which never blocks.
    package private(set) var far: Int32
    /// The device.
    package let path: String
    /// While it is open, the line does not hang up because nobody else has it open.
    private var near: Int32

    /// `TIOCSPTLCK` and `TIOCGPTN`, which are too complex macros to be imported.
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430

    package init() {
        far = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        var isLocked: Int32 = 0
        var number: UInt32 = 0
        precondition(ioctl(far, Self.setLock, &isLocked) == 0, "no pseudo-terminal")
        precondition(ioctl(far, Self.getNumber, &number) == 0, "no pseudo-terminal")
        path = "/dev/pts/\(number)"
        near = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        precondition(near >= 0, "no pseudo-terminal at \(path)")
    }

    deinit { unplug() }

    /// What the device is set to.
    package var settings: termios {
        var settings = termios()
        precondition(tcgetattr(near, &settings) == 0)
        return settings
    }

    /// Lets every byte pass as it is, as somebody who opens the device does.
    package func makeRaw() {
        var settings = settings
        cfmakeraw(&settings)
        precondition(tcsetattr(near, TCSANOW, &settings) == 0)
    }

    package func unplug() {
        for descriptor in [far, near] where descriptor >= 0 { close(descriptor) }
        (far, near) = (-1, -1)
    }

    /// Sends from the other end; few enough bytes that the kernel takes them at once.
    package func send(_ bytes: [UInt8]) {
        precondition(write(far, bytes, bytes.count) == bytes.count, "errno \(errno)")
    }

    /// What has come to the other end so far.
    package func received() -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = read(far, &buffer, buffer.count)
            if count <= 0 { return all }
            all += buffer[..<count]
        }
    }

    /// Waits until so many bytes have come to the other end.
    package func received(_ count: Int) async -> [UInt8] {
        var all = received()
        while all.count < count, !Task.isCancelled {
            await Task.yield()
            all += received()
        }
        return all
    }
}
