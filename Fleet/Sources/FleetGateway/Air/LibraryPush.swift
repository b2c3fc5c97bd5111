package import BLEOTA
package import FleetModel

/// A push of the library, as gateways do it.
package enum LibraryPush {
    /// How long a device may take to restart into the image and say so. With 5 s until the last
    /// progress is reported, it is less than the silence that ends a lease.
    private static let confirmationLimit = Duration.seconds(45)
    /// How long a device may be away during a push, after which the controller may lend it to a
    /// gateway that hears it better.
    private static let reconnectionLimit = Duration.seconds(30)

    package static func run(
        _ image: Firmware,
        to target: Target,
        progress: @escaping @Sendable (PushProgress) async -> Void
    ) async throws(PushError) {
        var options = PushOptions()
        options.confirmationLimit = confirmationLimit
        options.reconnectionLimit = reconnectionLimit
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
