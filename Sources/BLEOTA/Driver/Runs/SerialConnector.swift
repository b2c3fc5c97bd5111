import Synchronization

/// Opens a serial line, and reopens it after its device has been unplugged and plugged in again.
package final class SerialConnector: Connector {
    private let address: SerialAddress
    private let attMTU: Int
    /// The previous link, which may still have the line open.
    private let last = Mutex<SerialLink?>(nil)

    /// A connector to the peer at the other end of the line.
    ///
    /// - Parameter attMTU: see ``SerialTransport/open(_:attMTU:inboundLimit:)``.
    package init(_ address: SerialAddress, attMTU: Int = 247) {
        self.address = address
        self.attMTU = attMTU
    }

    /// Opens the line. If the previous link was closed, waits until it has released the line.
    ///
    /// - Throws: a ``TransferError`` whose problem is `serial` or `cancelled`.
    package func connect() async throws(TransferError) -> any Transport {
        if let last = last.withLock({ last in last }), last.closeReason != nil {
            await last.awaitEnd()
        }
        if Task.isCancelled { throw TransferError(.cancelled) }
        do throws(SerialError) {
            let link = try SerialTransport.open(address, attMTU: attMTU)
            last.withLock { last in last = link.link }
            return link
        } catch {
            throw TransferError(.serial(error))
        }
    }
}
