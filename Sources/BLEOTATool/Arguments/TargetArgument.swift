import ArgumentParser
import BLEOTA
import SystemPackage

/// The address of a peer: `unix:PATH` or `serial:PATH[@BAUD]`.
enum TargetArgument {
    static let valueName = "unix:PATH|serial:PATH[@BAUD]"
    /// The address as the usage of a command shows it.
    static let usage = "unix:PATH|serial:PATH[@BAUD]"

    /// The socket of another bleota.
    case socket(FilePath)
    case serial(SerialAddress)

    init(argument: String) throws(ValidationError) {
        try self.init(argument: argument, otherForms: "")
    }

    /// - Parameter otherForms: the end of the sentence that lists the valid addresses.
    init(argument: String, otherForms: String) throws(ValidationError) {
        if let path = Self.rest(of: argument, after: "unix:") {
            self = .socket(FilePath(argument: path))
        } else if let line = Self.rest(of: argument, after: "serial:") {
            self = .serial(try Self.address(line))
        } else {
            throw ValidationError(
                "a target must be unix:PATH for the socket that the receiver listens on, or "
                    + "serial:PATH[@BAUD] for a serial line\(otherForms)"
            )
        }
    }

    static func rest(of argument: String, after scheme: String) -> String? {
        guard argument.hasPrefix(scheme), argument.count > scheme.count else { return nil }
        return String(argument.dropFirst(scheme.count))
    }

    /// Splits the baud rate, if any, from the path. The rate follows an @ in the last component.
    static func address(_ line: String) throws(ValidationError) -> SerialAddress {
        guard let at = line.lastIndex(of: "@"), !line[at...].contains("/") else {
            return SerialAddress(path: FilePath(argument: line))
        }
        let text = line[line.index(after: at)...]
        guard at > line.startIndex, let number = Int(text),
            let rate = BaudRate(bitsPerSecond: number)
        else {
            let known = BaudRate.all.map(\.description).joined(separator: ", ")
            throw ValidationError(
                "\(line) is not a serial line: it must be PATH[@BAUD], where BAUD is one of "
                    + known
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

    /// - Parameter timeout: how long the peer on a socket may take to announce its limits.
    func connector(attMTU: Int = 517, timeout: Duration) -> any Connector {
        switch self {
        case .socket(let path): SocketConnector(path: path, attMTU: attMTU, timeout: timeout)
        case .serial(let address): SerialConnector(address, attMTU: attMTU)
        }
    }

    /// The links that peers of a receiver open.
    ///
    /// - Parameters:
    ///   - attMTU: the ATT_MTU, or `nil` for the default of this kind of link.
    ///   - onChange: called when a serial line is lost, and when it is available again.
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
