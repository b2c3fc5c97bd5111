import ArgumentParser
import BLEOTA
import BLEOTASMP
import SystemPackage

/// Where a receiver listens, with the protocol that its peers speak.
enum ReceiveTargetArgument {
    /// bleota's own protocol.
    case bleota(TargetArgument)
    /// SMP over UDP, on one address of this machine or on all.
    case udp(host: String?, port: Int)
    /// SMP over a serial line.
    case line(SerialAddress, LineLink.Framing)

    init(argument: String) throws(ValidationError) {
        if let rest = TargetArgument.rest(of: argument, after: "smp+udp:") {
            // A number alone is a port on all addresses.
            let isPort = Int(rest) != nil
            let target = try SMPTargetArgument.udp(isPort ? "*:\(rest)" : rest, ports: 0...65_535)
            self = Self(target, hasHost: !isPort)
        } else if let target = try SMPTargetArgument(argument) {
            self = Self(target, hasHost: true)
        } else {
            self = .bleota(
                try TargetArgument(
                    argument: argument,
                    otherForms: "; for peers that speak SMP, smp+udp:[HOST:]PORT, "
                        + "smp+serial:PATH[@BAUD] or smp+raw:PATH[@BAUD]"
                )
            )
        }
    }

    private init(_ target: SMPTargetArgument, hasHost: Bool) {
        self =
            switch target {
            case .udp(let host, let port): .udp(host: hasHost ? host : nil, port: port)
            case .line(let address, let framing): .line(address, framing)
            }
    }

    /// Whether anyone on a network can be a peer.
    var isNetwork: Bool { if case .udp = self { true } else { false } }
}
