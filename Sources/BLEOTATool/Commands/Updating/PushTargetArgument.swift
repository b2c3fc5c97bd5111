import ArgumentParser
import BLEOTA
import BLEOTASMP
import SystemPackage

/// The address of a device that is not reached over Bluetooth, with the protocol that it speaks.
enum PushTargetArgument {
    static let valueName = "TARGET"
    static let usage = "<TARGET>"

    /// A receiver that speaks bleota's own protocol.
    case bleota(TargetArgument)
    /// A device that speaks SMP.
    case smp(SMPTargetArgument)

    init(argument: String) throws(ValidationError) {
        self =
            if let target = try SMPTargetArgument(argument) {
                .smp(target)
            } else {
                .bleota(
                    try TargetArgument(
                        argument: argument,
                        otherForms: "; for a device that speaks SMP, smp+udp:HOST[:PORT], "
                            + "smp+serial:PATH[@BAUD] or smp+raw:PATH[@BAUD]"
                    )
                )
            }
    }

    /// The name of the protocol that the address stands for.
    var protocolName: String {
        switch self {
        case .bleota: "bleota"
        case .smp: "smp"
        }
    }
}

/// The address of a device that speaks SMP: `smp+udp:HOST[:PORT]`, `smp+serial:PATH[@BAUD]` or
/// `smp+raw:PATH[@BAUD]`.
enum SMPTargetArgument {
    case udp(host: String, port: Int)
    case line(SerialAddress, LineLink.Framing)

    /// Parses an address; `nil` if it begins with another scheme.
    init?(_ argument: String) throws(ValidationError) {
        if let rest = TargetArgument.rest(of: argument, after: "smp+udp:") {
            self = try Self.udp(rest)
        } else if let line = TargetArgument.rest(of: argument, after: "smp+serial:") {
            self = .line(try TargetArgument.address(line), .console)
        } else if let line = TargetArgument.rest(of: argument, after: "smp+raw:") {
            self = .line(try TargetArgument.address(line), .raw)
        } else if argument.hasPrefix("smp") {
            throw ValidationError(
                "an SMP target must be smp+udp:HOST[:PORT], smp+serial:PATH[@BAUD] for a console, "
                    + "or smp+raw:PATH[@BAUD], not \(argument)"
            )
        } else {
            return nil
        }
    }

    /// Parses a host and a port. An IPv6 address with a port must be in brackets.
    ///
    /// - Parameter ports: the valid port numbers.
    static func udp(
        _ text: String,
        ports: ClosedRange<Int> = 1...65_535
    ) throws(ValidationError) -> SMPTargetArgument {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let host: Substring
        let port: Substring?
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            port = rest.hasPrefix(":") ? rest.dropFirst() : rest.isEmpty ? nil : rest
        } else if parts.count == 2 {
            (host, port) = (parts[0], parts[1])
        } else {
            (host, port) = (text[...], nil)
        }
        let number = port.map { Int($0) } ?? UDPLink.port
        guard let number, ports.contains(number), !host.isEmpty else {
            throw ValidationError("smp+udp: must be followed by HOST[:PORT], not \(text)")
        }
        return .udp(host: String(host), port: number)
    }

    /// The address as the user knows it.
    var text: String {
        switch self {
        case .udp(let host, let port): port == UDPLink.port ? host : "\(host):\(port)"
        case .line(let address, _): address.path.string
        }
    }

    var connector: any SMPConnector {
        switch self {
        case .udp(let host, let port): UDPConnector(host: host, port: port)
        case .line(let address, let framing): LineConnector(address, framing: framing)
        }
    }
}
