import BLEOTACore
import BLEOTAManifest
import BLEOTAWire

/// A push over one link, or over several if links are lost. It sends one variant of the image and,
/// if the receiver can't accept that variant, the next.
struct PushRun: ReconnectingRun {
    private let variants: [ImageVariant]
    private let options: PushOptions
    private let onUpdate: @Sendable (PushUpdate) -> Void
    private let startedAt = ContinuousClock.now
    //= OPEN-11: A sender MUST choose the number of its first session for an image at random. For
    //= each further session, even with another form of the image, it MUST take the previous number
    //= plus 1, modulo 65,536.
    private var session = SessionNumber(.random(in: .min ... .max))
    private var variantIndex = 0
    private var dataFramesSent = 0
    private var dataFramesResent = 0
    private var dataByteCount = 0
    private var resumedFromByte: Int?
    private(set) var furthestDurable: TransferPosition?
    /// If a new REQUEST ended the session that answered the previous one, that REQUEST and the
    /// datagrams after it; otherwise empty.
    private(set) var nextRequest: [Datagram] = []
    var reconnectionCount = 0

    /// - Parameter variants: the variants of the image, in the order in which to offer them.
    init(
        _ variants: [ImageVariant],
        options: PushOptions,
        onUpdate: @escaping @Sendable (PushUpdate) -> Void
    ) {
        precondition(!variants.isEmpty)
        self.variants = variants
        self.options = options
        self.onUpdate = onUpdate
    }

    func connected(over link: any Transport) {
        onUpdate(.connected(attMTU: link.limits.attMTU))
    }

    func reconnecting(after error: TransferError) { onUpdate(.reconnecting(error)) }

    //= ENC-4: If RESULT says *unsupported encoding*, *wrong base*, *wrong recipient*, *mostly
    //= held*, or *unknown attribute* with a type of 0x85 to 0x87, and the sender has another form
    //= of the image, the sender MUST offer the next form in a new session.
    mutating func once(
        over link: any Transport
    ) async throws(TransferError) -> TransferReport {
        while true {
            //= LINK-1: If a sender loses its link, it MUST end its session without a frame, and
            //= open a new session, with the next session number, over the next link. It MUST NOT
            //= continue a session over another link.
            session = session.next
            do throws(TransferError) {
                return try await once(over: link, session: session, arrived: [])
            } catch {
                guard error.isOfForm, variantIndex + 1 < variants.count else { throw error }
                variantIndex += 1
                (resumedFromByte, furthestDurable) = (nil, nil)
            }
        }
    }

    /// - Parameters:
    ///   - isAnswer: whether the session answers a REQUEST.
    ///   - arrived: control datagrams that were already read from the link.
    mutating func once(
        over link: any Transport,
        session: SessionNumber,
        isAnswer: Bool = false,
        arrived: [Datagram]
    ) async throws(TransferError) -> TransferReport {
        let (sent, resent, onUpdate) = (dataFramesSent, dataFramesResent, onUpdate)
        let variant = variants[variantIndex]
        let driver = SendDriver(
            variant,
            over: link,
            session: session,
            isAnswer: isAnswer,
            options: options
        )
        let ending = await driver.run(arrived: arrived) { progress in
            var progress = progress
            progress.dataFramesSent += sent
            progress.dataFramesResent += resent
            onUpdate(.progress(progress))
        }
        dataFramesSent += Int(ending.statistics.dataFramesSent)
        dataFramesResent += Int(ending.statistics.dataFramesResent)
        dataByteCount += ending.dataByteCount
        nextRequest = ending.nextRequest
        furthestDurable = .further(of: furthestDurable, ending.furthestDurable)
        if resumedFromByte == nil { resumedFromByte = ending.resumedFromByte.map(Int.init) }
        if let error = ending.error { throw error }
        return TransferReport(
            sha256: variant.manifest.decodedSHA256,
            byteCount: variant.manifest.decodedByteCount,
            encodedByteCount: variant.byteCount,
            compression: variant.manifest.encoding?.compression ?? .none,
            isSealed: variant.manifest.encoding?.isSealed ?? false,
            // A receiver that sent no ACK for the image already had all of it.
            resumedFromByte: resumedFromByte ?? variant.byteCount,
            duration: startedAt.duration(to: .now),
            dataFramesSent: dataFramesSent,
            dataFramesResent: dataFramesResent,
            dataByteCount: dataByteCount,
            chunkByteCount: ending.chunkSize.byteCount,
            attMTU: link.limits.attMTU,
            reconnectionCount: reconnectionCount
        )
    }
}

extension TransferError {
    /// Whether the receiver may accept another variant of the image.
    fileprivate var isOfForm: Bool {
        guard case .refused(let reason, let detail) = problem else { return false }
        switch reason {
        case .unsupportedEncoding, .wrongBase, .wrongRecipient, .mostlyHeld: return true
        case .unknownAttribute:
            return UInt64(
                ManifestAttributeType.encoding.rawValue
            )...UInt64(ManifestAttributeType.seal.rawValue) ~= detail
        default: return false
        }
    }
}
