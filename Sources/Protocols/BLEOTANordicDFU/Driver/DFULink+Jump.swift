import BLEOTA

extension DFULink {
    /// How long an application may take to answer the request to jump, and to end its connection.
    private static let jumpLimit = Duration.seconds(10)

    private enum Buttonless {
        static let enter: UInt8 = 1
        static let response: UInt8 = 0x20
        static let success: UInt8 = 1
    }

    /// Makes an application start its bootloader, and waits until the connection has ended.
    func jump(by format: DFUPackage.Format) async throws(TransferError) {
        switch format {
        case .legacy:
            try await ask([LegacyMessage.Request.start, LegacyMessage.ImageType.application])
        case .secure:
            try await ask([Buttonless.enter])
            if let result = try await buttonlessResult(), result != Buttonless.success {
                throw TransferError(.refusedByDevice(.buttonless(result)))
            }
        }
        await awaitEnd(within: Self.jumpLimit)
    }

    /// Writes a request. The application may restart before it acknowledges the request.
    private func ask(_ value: [UInt8]) async throws(TransferError) {
        do throws(TransferError) {
            try await request(value)
        } catch {
            if connection.closeReason == nil { throw error }
        }
    }

    /// The result that the application reports; `nil` if it restarts without one.
    private func buttonlessResult() async throws(TransferError) -> UInt8? {
        let end = ContinuousClock.now + Self.jumpLimit
        while ContinuousClock.now < end {
            let values: [[UInt8]]
            do throws(TransferError) {
                values = try await receive(within: ContinuousClock.now.duration(to: end))
            } catch {
                if connection.closeReason != nil { return nil }
                throw error
            }
            let answer = values.first {
                $0.count >= 3 && $0[0] == Buttonless.response && $0[1] == Buttonless.enter
            }
            if let answer { return answer[2] }
        }
        throw TransferError(.silent)
    }
}
