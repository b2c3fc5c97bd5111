package import BLEOTA

/// SMP over a serial line.
package final class LineLink: SMPLink {
    /// How messages are told apart on the line.
    package enum Framing: Sendable, Hashable {
        /// Between the lines of a console, with checksums.
        case console
        /// One after another, without checksums.
        case raw
    }

    private static let inboundLimit = 256

    private let line: SerialLink
    private let framing: Framing

    /// The limits of the line. On a console, a device keeps the length and the checksum of a frame
    /// in the buffer of its message.
    package var limits: LinkLimits {
        LinkLimits(
            unstated: defaultLimits,
            framingByteCount: framing == .console ? ConsoleFraming.overheadByteCount : 0,
            isReliable: false
        )
    }
    package var attMTU: Int { ConsoleFraming.lineByteCountMax }

    package static func open(
        _ address: SerialAddress,
        framing: Framing
    ) throws(SerialError) -> LineLink {
        let decoder: any SerialFraming = framing == .console ? ConsoleFraming() : RawFraming()
        return LineLink(
            try SerialLink.open(address, framing: decoder, inboundLimit: inboundLimit),
            framing
        )
    }

    private init(_ line: SerialLink, _ framing: Framing) {
        self.line = line
        self.framing = framing
    }

    deinit { line.close(.local) }

    package func send(_ packet: [UInt8]) async throws(TransferError) {
        do throws(TransportError) {
            try await line.put(framing == .console ? ConsoleFraming.encoded(packet) : packet)
        } catch {
            throw TransferError(link: error)
        }
    }

    package func receive() async throws(TransferError) -> [[UInt8]] {
        do throws(TransportError) {
            return try await line.take().map(\.bytes)
        } catch {
            throw TransferError(link: error)
        }
    }

    package func close(_ reason: CloseReason) { line.close(reason) }

    func awaitEnd() async { await line.awaitEnd() }
}

/// Opens a serial line to a device that speaks SMP.
package final class LineConnector: SMPConnector {
    private let address: SerialAddress
    private let framing: LineLink.Framing
    private let last = Monitor<LineLink?>(nil)

    package init(_ address: SerialAddress, framing: LineLink.Framing) {
        self.address = address
        self.framing = framing
    }

    package func connect() async throws(TransferError) -> any SMPLink {
        await awaitEnd()
        if Task.isCancelled { throw TransferError(.cancelled) }
        do throws(SerialError) {
            let link = try LineLink.open(address, framing: framing)
            last.update { $0 = link }
            return link
        } catch {
            throw TransferError(.serial(error))
        }
    }

    package func awaitEnd() async {
        guard let link = last.update({ $0.take() }) else { return }
        link.close(.local)
        await link.awaitEnd()
    }
}

extension TransferError {
    init(link error: TransportError) {
        switch error {
        case .closed(let reason): self.init(.linkLost(reason))
        case .inboundOverflow: self.init(.linkLost(.overflow))
        case .cancelled: self.init(.cancelled)
        case .datagramTooLarge, .emptyDatagram: self.init(.linkLost(.failed("\(error)")))
        }
    }
}
