import BLEOTA
import SystemPackage

/// One client of a ``UDPListener``.
final class UDPClientLink: SMPLink {
    private let descriptor: FileDescriptor
    private let address: [UInt8]
    /// As many requests as this device reports buffers for. Further requests are lost.
    private let inbound = DatagramInbox(countMax: SMPServer.limits.requestCountMax)

    var limits: LinkLimits { LinkLimits(unstated: SMPServer.limits, isReliable: false) }
    var attMTU: Int { SMPServer.limits.packetByteCountMax }
    var isClosed: Bool { inbound.closeReason != nil }

    init(_ descriptor: FileDescriptor, _ address: [UInt8]) {
        self.descriptor = descriptor
        self.address = address
    }

    func deliver(_ message: [UInt8]) { inbound.put([message]) }

    func send(_ packet: [UInt8]) async throws(TransferError) {
        // The descriptor is open as long as the link. A datagram that can't be sent is lost, as
        // datagrams may be.
        inbound.whileOpen { _ = descriptor.sendDatagram(packet, to: address) }
    }

    func receive() async throws(TransferError) -> [[UInt8]] { try await inbound.receive() }

    func close(_ reason: CloseReason) { inbound.close(reason) }
}
