import ArgumentParser
import BLEOTA
import BLEOTASMP
import SystemPackage

/// Where a receiver listens, with the protocol that its peers speak.
enum ReceiveTargetArgument {
    /// bleota's own protocol.
    case bleota(TargetArgument)
    /// SMP over UDP, at one address of this machine or at all.
    case udp(host: String?, port: Int)
    /// SMP over a serial line.
    case line(SerialAddress, LineLink.Framing)

    init(argument: String) throws(ValidationError) {
        if let rest = TargetArgument.rest(of: argument, after: "smp+udp:"), let port = Int(rest) {
            guard (0...65_535).contains(port) else {
                throw ValidationError("a UDP port must be 0 to 65535, not \(rest)")
            }
            self = .udp(host: nil, port: port)
        } else if let target = try SMPTargetArgument(argument) {
            self =
                switch target {
                case .udp(let host, let port): .udp(host: host, port: port)
                case .line(let address, let framing): .line(address, framing)
                }
        } else {
            self = .bleota(try TargetArgument(argument: argument))
        }
    }

    /// Whether anyone on a network can be a peer.
    var isNetwork: Bool { if case .udp = self { true } else { false } }

    /// Whether the peers speak SMP.
    var isSMP: Bool { if case .bleota = self { false } else { true } }
}
