import BLEOTA
import BLEOTASMP
import SystemPackage

/// The links of a receiver's peers, by the protocols that they speak.
struct ReceiveLinks: Sendable {
    /// Links for bleota's own protocol.
    let bleota: (any LinkSource)?
    /// Links for SMP.
    let smp: (any SMPLinkSource)?

    init(_ bleota: any LinkSource, smp: (any SMPLinkSource)? = nil) {
        self.bleota = bleota
        self.smp = smp
    }

    /// Opens the links of peers that connect to an address.
    ///
    /// - Parameters:
    ///   - attMTU: the ATT_MTU, or `nil` for the default of this kind of link.
    ///   - onChange: called when a serial line is lost, and when it is available again.
    init(
        _ target: ReceiveTargetArgument,
        attMTU: Int?,
        onChange: @escaping @Sendable (LineChange, FilePath) -> Void
    ) throws(TransferError) {
        switch target {
        case .bleota(let target):
            bleota = try target.links(attMTU: attMTU) { onChange($0, target.path) }
            smp = nil
        case .udp(let host, let port):
            bleota = nil
            smp = try UDPListener(host: host, port: port)
        case .line(let address, let framing):
            bleota = nil
            smp = try LineListener(address, framing: framing) { onChange($0, address.path) }
        }
    }

    /// The human-readable name of the place where peers connect.
    var place: String { bleota?.place ?? smp?.place ?? "" }

    func end() async {
        await bleota?.end()
        await smp?.end()
    }
}
