package import SystemPackage

/// Why a serial line can't be opened. The description names a remedy.
package enum SerialError: Error, Sendable, Hashable {
    /// There is nothing at the path, or a device without hardware: plug it in, or name another.
    case noSuchDevice(FilePath)
    /// The file at the path is not a serial line; it is left unchanged.
    case notASerialLine(FilePath)
    /// This user is not permitted to open the line.
    case permissionDenied(FilePath)
    /// Another process has locked the device, or the socket accepts no more peers.
    case busy(FilePath)
    /// No process is listening on the socket: start the peer first.
    case nobodyListens(FilePath)
    /// The system doesn't support this speed.
    case rateUnknown(FilePath, bitsPerSecond: Int)
    /// The device doesn't support this speed.
    case rateRefused(FilePath, BaudRate)
    /// A speed was given for a socket, which has none: omit it.
    case rateOfSocket(FilePath, BaudRate)
    /// The system refused a call.
    case system(call: String, Errno)

    /// - Parameter error: an error of a socket used as a line, or of the link's thread or wake
    ///   pipe.
    init(_ error: SocketError) {
        self =
            switch error {
            case .system(let call, let errno): .system(call: call, errno)
            default: .system(call: "connect", .fileNameTooLong)
            }
    }
}

extension SerialError: CustomStringConvertible {
    /// One sentence for the user.
    package var description: String {
        switch self {
        case .noSuchDevice(let path):
            "There is no device at \(path); plug it in, or choose another."
        case .notASerialLine(let path):
            "\(path) is neither a serial line nor a Unix stream socket; choose one of these."
        case .permissionDenied(let path):
            "This user may not open \(path); join the group that may (on Debian, sudo usermod -aG "
                + "dialout $USER, then log in again)."
        case .busy(let path):
            "Another process is using \(path); stop that process, or choose another line."
        case .nobodyListens(let path):
            "No process is listening on the socket \(path); start the receiver first."
        case .rateUnknown(let path, let rate):
            "\(path) can't use \(rate) baud, which this system does not support; choose another "
                + "rate at both ends."
        case .rateRefused(let path, let rate):
            "\(path) does not support \(rate) baud; choose another rate at both ends."
        case .rateOfSocket(let path, let rate):
            "\(path) is a socket, which has no baud rate; leave out @\(rate)."
        case .system(let call, let errno):
            "The system call \(call) failed on the serial line: \(errno)."
        }
    }
}
