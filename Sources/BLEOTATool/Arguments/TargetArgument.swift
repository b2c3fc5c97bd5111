import ArgumentParser
import BLEOTA
import SystemPackage

/// The address of a peer: `unix:PATH` or `serial:PATH[@BAUD]`.
enum TargetArgument {
    static let valueName = "unix:PATH|serial:PATH[@BAUD]"
    /// As in the usage of a command.
    static let usage = "unix:PATH|serial:PATH[@BAUD]"

    /// A socket of another bleota process.
    case socket(FilePath)
    case serial(SerialAddress)

    init(argument: String) throws(ValidationError) {
        if let path = Self.rest(of: argument, after: "unix:") {
            self = .socket(FilePath(argument: path))
        } else if let line = Self.rest(of: argument, after: "serial:") {
            self = .serial(try Self.address(line))
        } else {
            throw ValidationError(
                "a target must be unix:PATH, the socket that the receiver listens on, or "
                    + "serial:PATH[@BAUD], a serial line"
            )
        }
    }

    private static func rest(of argument: String, after scheme: String) -> String? {
        guard argument.hasPrefix(scheme), argument.count > scheme.count else { return nil }
        return String(argument.dropFirst(scheme.count))
    }

    /// Whatever follows an @ in the last component of the path is the rate.
    private static func address(_ line: String) throws(ValidationError) -> SerialAddress {
        guard let at = line.lastIndex(of: "@"), !line[at...].contains("/") else {
            return SerialAddress(path: FilePath(argument: line))
        }
        let text = line[line.index(after: at)...]
        guard at > line.startIndex, let number = Int(text),
            let rate = BaudRate(bitsPerSecond: number)
        else {
            let known = BaudRate.all.map(\.description).joined(separator: ", ")
            throw ValidationError(
                "a serial line must be PATH[@BAUD] with a BAUD of \(known), not \(line)"
            )
        }
        return SerialAddress(path: FilePath(argument: String(line[..<at])), baudRate: rate)
    }

    var path: FilePath {
        switch self {
        case .socket(let path): path
        case .serial(let address): address.path
        }
    }

    /// The address as the user writes it.
    var text: String {
        switch self {
        case .socket(let path): "unix:\(path)"
        case .serial(let address):
            "serial:\(address.path)" + (address.baudRate.map { rate in "@\(rate)" } ?? "")
        }
    }

    /// - Parameter timeout: the time limit for the hello of a socket's peer.
    func connector(attMTU: Int = 517, timeout: Duration) -> any Connector {
        switch self {
        case .socket(let path): SocketConnector(path: path, attMTU: attMTU, timeout: timeout)
        case .serial(let address): SerialConnector(address, attMTU: attMTU)
        }
    }

    /// The source of a receiver's links.
    ///
    /// - Parameters:
    ///   - attMTU: `nil` for the default of such a link.
    ///   - onChange: called when a serial line disappears and when it is back.
    func links(
        attMTU: Int?,
        onChange: @escaping @Sendable (LineChange) -> Void
    ) throws(TransferError) -> any LinkSource {
        switch self {
        case .socket(let path): try SocketLinks(path, attMTU: attMTU ?? 517)
        case .serial(let address):
            try SerialLinks(address, attMTU: attMTU ?? 247, onChange: onChange)
        }
    }
}
