package import BLEOTA

/// Accepts the centrals that use the SMP service.
package struct GATTListener: SMPLinkSource {
    package static let service = GATTPipeService(
        service: GATTLink.service,
        characteristic: GATTLink.characteristic
    )

    private let source: any GATTPipeSource

    package init(_ source: any GATTPipeSource) { self.source = source }

    package var place: String { source.place }

    package func next() async throws(TransferError) -> SMPGuest {
        guard let pipe = await source.nextPipe() else { throw TransferError(.cancelled) }
        return SMPGuest(
            GATTClientLink(pipe),
            name: "a Bluetooth central",
            carriesWholeMessages: false
        )
    }

    /// Does nothing: the links end when the device stops.
    package func end() {}
}

/// SMP over Bluetooth, with this machine as the peripheral. A reply is split into notifications.
struct GATTClientLink: SMPLink {
    private let pipe: any GATTPipe

    init(_ pipe: any GATTPipe) { self.pipe = pipe }

    var limits: LinkLimits { LinkLimits(unstated: SMPServer.limits, isReliable: true) }
    var attMTU: Int { pipe.valueByteCountMax }

    func send(_ packet: [UInt8]) async throws(TransferError) {
        do throws(TransportError) {
            var start = 0
            while start < packet.count {
                let end = min(start + pipe.valueByteCountMax, packet.count)
                try await pipe.send(Array(packet[start..<end]))
                start = end
            }
        } catch {
            throw TransferError(link: error)
        }
    }

    func receive() async throws(TransferError) -> [[UInt8]] {
        do throws(TransportError) {
            return try await pipe.receive()
        } catch {
            throw TransferError(link: error)
        }
    }

    func close(_ reason: CloseReason) { pipe.close(reason) }
}
