import BLEOTACore

/// One push over one link or, where links are lost, several.
struct PushRun: ReconnectingRun {
    private let prepared: PreparedImage
    private let options: TransferOptions
    private let onProgress: @Sendable (TransferProgress) -> Void
    private let startedAt = ContinuousClock.now
    private var session = SessionNumber(.random(in: .min ... .max))
    private var dataFramesSent = 0
    private var dataFramesResent = 0
    private var resumedFromByte: Int?
    private(set) var durableByteCount = 0
    var reconnectionCount = 0

    init(
        _ prepared: PreparedImage,
        options: TransferOptions,
        onProgress: @escaping @Sendable (TransferProgress) -> Void
    ) {
        self.prepared = prepared
        self.options = options
        self.onProgress = onProgress
    }

    mutating func once(
        over link: any Transport
    ) async throws(TransferError) -> TransferReport {
        session = session.next
        return try await once(over: link, session: session, arrived: [])
    }

    /// - Parameter arrived: control datagrams that were taken from the link before.
    mutating func once(
        over link: any Transport,
        session: SessionNumber,
        arrived: [InboundDatagram]
    ) async throws(TransferError) -> TransferReport {
        let (sent, resent, onProgress) = (dataFramesSent, dataFramesResent, onProgress)
        let driver = SendDriver(prepared, over: link, session: session, options: options)
        let ending = await driver.run(arrived: arrived) { progress in
            var progress = progress
            progress.dataFramesSent += sent
            progress.dataFramesResent += resent
            onProgress(progress)
        }
        dataFramesSent += Int(ending.statistics.dataFramesSent)
        dataFramesResent += Int(ending.statistics.dataFramesResent)
        durableByteCount = max(durableByteCount, Int(ending.durableByteCount))
        if resumedFromByte == nil { resumedFromByte = ending.resumedFromByte.map(Int.init) }
        if let error = ending.error { throw error }
        return TransferReport(
            sha256: prepared.manifest.sha256,
            byteCount: prepared.image.byteCount,
            // Without an account of the image the receiver had all of it.
            resumedFromByte: resumedFromByte ?? prepared.image.byteCount,
            duration: startedAt.duration(to: .now),
            dataFramesSent: dataFramesSent,
            dataFramesResent: dataFramesResent,
            chunkByteCount: ending.chunkSize.byteCount,
            attMTU: link.limits.attMTU,
            reconnectionCount: reconnectionCount
        )
    }
}
