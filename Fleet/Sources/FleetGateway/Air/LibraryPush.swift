package import BLEOTA
package import FleetModel

/// A push of the library, as gateways do it.
package enum LibraryPush {
    package static func run(
        _ image: Firmware,
        to target: Target,
        _ pace: GatewayPace,
        progress: @escaping @Sendable (PushProgress) async -> Void
    ) async throws(PushError) {
        var options = PushOptions()
        options.confirmationLimit = pace.confirmationLimit.duration
        options.reconnectionLimit = pace.reconnectionLimit.duration
        do {
            for try await update in image.pushing(to: target, options: options) {
                guard case .progress(let amount) = update else { continue }
                await progress(PushProgress(amount))
            }
        } catch {
            throw PushError(error)
        }
        if Task.isCancelled { throw .stopped }
    }
}

extension PushProgress {
    fileprivate init(_ amount: TransferProgress) {
        self.init(
            storedByteCount: UInt64(amount.durableByteCount),
            byteCount: UInt64(amount.totalByteCount)
        )
    }
}

extension PushError {
    /// What an error of the library means to a fleet.
    package init(_ error: TransferError) {
        guard error.code != .cancelled else {
            self = .stopped
            return
        }
        let kind = Self.kind(error.code, isRetryable: error.isRetryable)
        self = .failed(Failure(kind, error.description))
    }

    /// Whose failure it is.
    package static func kind(_ code: TransferError.Code, isRetryable: Bool) -> Failure.Kind {
        switch code {
        // A device that is busy, or hasn't restarted yet, may take the image later.
        case .refused, .notRunning: isRetryable ? .unreachable : .refused
        case .protocolViolated, .wrongImageVerified, .unsupported, .noSuchObject: .refused
        case .linkLost, .silent, .stalled, .cannotConnect: .unreachable
        case .unreadable, .storeFailed, .cannotListen: .gateway
        // A code of a later release of the library.
        default: isRetryable ? .unreachable : .gateway
        }
    }
}
