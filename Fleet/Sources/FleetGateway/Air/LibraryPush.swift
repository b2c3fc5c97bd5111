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

    /// How often a device is asked for its receipt: it has just restarted, or another central has
    /// it for a moment.
    private static let questionsMax = 3

    package static func receipt(
        from target: Target,
        _ nonce: Nonce
    ) async throws(PushError) -> DeviceReceipt? {
        guard let nonce = ReceiptNonce(bytes: nonce.bytes) else {
            preconditionFailure("both have 12 bytes")
        }
        var number = 1
        while true {
            do throws(TransferError) {
                return try await target.receipt(nonce: nonce).flatMap { DeviceReceipt($0.bytes) }
            } catch {
                // A device of an earlier release doesn't know the question.
                if error.code == .silent { return nil }
                guard error.isRetryable, number < questionsMax, !Task.isCancelled else {
                    throw PushError(error)
                }
            }
            number += 1
            try? await Task.sleep(for: .seconds(1))
        }
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
        let refusal = error.refusal.flatMap { Refusal(rawValue: $0.description) }
        let kind = Self.kind(error.code, refusal, isRetryable: error.isRetryable)
        self = .failed(Failure(kind, error.description))
    }

    /// Whose failure it is.
    package static func kind(
        _ code: TransferError.Code,
        _ refusal: Refusal? = nil,
        isRetryable: Bool
    ) -> Failure.Kind {
        switch code {
        case .refused where refusal?.isFinal ?? false: .rejected
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
