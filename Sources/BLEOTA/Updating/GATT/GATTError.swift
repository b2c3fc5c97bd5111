/// An error of a GATT operation.
package enum GATTError: Error, Sendable, Hashable {
    /// The connection has ended.
    case closed(CloseReason)
    /// The device answered the request with this ATT error.
    case refused(attError: UInt8)
    /// The device requires pairing.
    case needsPairing(String)
    /// The device lacks a characteristic or an operation that its service must have.
    case missing(String)
    /// More notifications arrived than the queue holds.
    case overflow
    /// The waiting task was cancelled.
    case cancelled
}

extension TransferError {
    /// The error of a push whose GATT operation failed.
    package init(gatt error: GATTError) {
        switch error {
        case .closed(let reason): self.init(.linkLost(reason))
        case .refused(let code):
            let digits = String(code, radix: 16, uppercase: true)
            self.init(
                .linkLost(.failed("The device responded with ATT error 0x\(digits)."))
            )
        case .needsPairing(let sentence): self.init(.linkLost(.refused(sentence)))
        case .missing(let what):
            self.init(.peerNotUnderstood("The device lacks \(what)."))
        case .overflow: self.init(.linkLost(.overflow))
        case .cancelled: self.init(.cancelled)
        }
    }
}
