import BLEOTA
import Glibc
import SystemPackage

/// One client of a ``UDPListener``.
final class UDPClientLink: SMPLink {
    /// As many requests as this device reports buffers for. Further requests are lost.
    private static let inboundLimit = SMPServer.limits.requestCountMax

    private struct Inbound {
        var arrived: [[UInt8]] = []
        var reason: CloseReason?
    }

    private let descriptor: FileDescriptor
    private let address: [UInt8]
    private let inbound = Monitor(Inbound())

    var limits: LinkLimits { LinkLimits(unstated: SMPServer.limits, isReliable: false) }
    var attMTU: Int { SMPServer.limits.packetByteCountMax }
    var isClosed: Bool { inbound.read { $0.reason != nil } }

    init(_ descriptor: FileDescriptor, _ address: [UInt8]) {
        self.descriptor = descriptor
        self.address = address
    }

    func deliver(_ message: [UInt8]) {
        inbound.update(waking: .receiver) { state in
            guard state.arrived.count < Self.inboundLimit else { return }
            state.arrived.append(message)
        }
    }

    func send(_ packet: [UInt8]) async throws(TransferError) {
        // The descriptor is open as long as the link.
        inbound.read { state in
            guard state.reason == nil else { return }
            address.withUnsafeBytes { address in
                let name = address.bindMemory(to: sockaddr.self).baseAddress
                // A datagram that can't be sent is lost, as datagrams may be.
                _ = sendto(
                    descriptor.rawValue,
                    packet,
                    packet.count,
                    Int32(MSG_NOSIGNAL),
                    name,
                    socklen_t(address.count)
                )
            }
        }
    }

    func receive() async throws(TransferError) -> [[UInt8]] {
        let arrived = try await inbound.wait(as: .receiver) {
            state throws(TransferError) -> [[UInt8]]? in
            if !state.arrived.isEmpty {
                defer { state.arrived = [] }
                return state.arrived
            }
            if let reason = state.reason { throw TransferError(.linkLost(reason)) }
            return nil
        }
        guard let arrived else { throw TransferError(.cancelled) }
        return arrived
    }

    func close(_ reason: CloseReason) {
        inbound.update(waking: .receiver) { state in state.reason = state.reason ?? reason }
    }
}
