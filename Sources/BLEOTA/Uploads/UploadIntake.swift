import BLEOTAManifest
import BLEOTAWire
package import SystemPackage

/// Takes whole files, which arrive over protocols other than bleota's own, into a store.
///
/// ```text
/// begin, append … ──▶ finish ──▶ staged ──mark, activate──▶ current
/// ```
///
/// A file is a bundle or an MCUboot image. The file gets no further than the same image would over
/// bleota's own protocol: the policy judges it before the store takes it, and again before it
/// becomes current. An image that the policy refuses is removed.
package struct UploadIntake: Sendable {
    /// The outcome of a complete upload.
    package enum Outcome: Sendable {
        /// The image waits for a restart.
        case staged(Manifest)
        /// The image is the current one already.
        case alreadyCurrent(StoredImage)
    }

    let store: DirectoryStore
    var policy: AcceptancePolicy
    let running: RunningRecord
    /// Whether something installs the current image. Otherwise the current image counts as the
    /// running image.
    let isInstalled: Bool
    private let turns: StoreTurns

    /// - Parameters:
    ///   - directory: the directory of the store.
    ///   - isInstalled: whether something installs the current image and records which image runs.
    ///     Otherwise the current image counts as the running image.
    ///   - service: serves the same store over bleota's own protocol. The intake and the service
    ///     take turns.
    package init(
        into store: DirectoryStore,
        directory: FilePath,
        policy: AcceptancePolicy,
        isInstalled: Bool,
        sharing service: Service
    ) {
        self.isInstalled = isInstalled
        self.store = store
        self.policy = policy
        running = RunningRecord(directory: directory)
        turns = service.turns
    }

    /// The maximum length of an image that the policy accepts, in bytes.
    package var imageByteCountMax: Int { policy.imageByteCountMax }

    // MARK: - Receiving

    /// Finds an upload, or starts it.
    ///
    /// - Parameter beginning: the first bytes of the file: at least 32, or the whole file.
    /// - Returns: how many bytes of the file the store has.
    package func begin(
        _ id: UploadID,
        beginning: [UInt8]
    ) async throws(TransferError) -> Int {
        guard ImageBundle.begins(beginning) || MCUbootHeader.begins(beginning) else {
            throw Self.unsuitable
        }
        // The client may not have heard that its upload is complete.
        if await store.staged()?.upload == id { return id.byteCount }
        if id.isAnonymous { await store.removeUpload(id) }
        return try await storing { () throws(StoreError) in try await store.openUpload(id) }
    }

    /// Appends bytes to an upload, if the upload ends at `offset`.
    ///
    /// - Returns: how many bytes of the file the store has then; `nil` if it has no such upload.
    package func append(
        _ bytes: [UInt8],
        to id: UploadID,
        at offset: Int
    ) async throws(TransferError) -> Int? {
        try await storing { () throws(StoreError) in
            try await store.append(bytes, to: id, at: offset) { [policy] manifest, status in
                let refusal = policy.refusal(of: manifest, for: status)
                // Another variant in the bundle may have an encoding that this device accepts.
                return Self.encodingReasons.contains(refusal?.reason ?? .verified) ? nil : refusal
            }
        }
    }

    /// Makes the bytes of an upload durable. An error shows up with the next bytes.
    package func pause(_ id: UploadID) async { try? await store.synchronizeUpload(id) }

    /// Removes an upload whose sender broke the rules.
    package func abandon(_ id: UploadID) async { await store.removeUpload(id) }

    /// Verifies a complete upload and hands it over to the store.
    ///
    /// - Returns: `nil` if the bytes do not match the SHA-256 that their sender announced.
    package func finish(_ id: UploadID) async throws(TransferError) -> Outcome? {
        if let outcome = try await handedOver(id) { return outcome }
        let content = try await storing { () throws(StoreError) in
            try await store.content(of: id)
        }
        guard let content else {
            await store.removeUpload(id)
            return nil
        }
        do throws(TransferError) {
            let outcome = try await takingTurn { () throws(TransferError) in
                try await take(content, id)
            }
            await store.removeUpload(id)
            return outcome
        } catch {
            // If the store is busy or the device accepts no image now, the same file may be
            // accepted later.
            if !error.isRetryable { await store.removeUpload(id) }
            throw error
        }
    }

    /// The outcome of an upload that has already been completed; `nil` for any other upload.
    private func handedOver(_ id: UploadID) async throws(TransferError) -> Outcome? {
        guard let staged = await store.staged(), staged.upload == id,
            let manifest = await store.manifest(of: staged.tag)
        else { return nil }
        let current = try await storing { () throws(StoreError) in try await store.current() }
        guard let current, current.manifest.tag == staged.tag else { return .staged(manifest) }
        return .alreadyCurrent(current)
    }

    private func take(_ content: ByteSource, _ id: UploadID) async throws(TransferError) -> Outcome
    {
        var refusal: TransferError?
        for variant in try variants(of: content) {
            do throws(TransferError) {
                if let current = try await put(variant) { return .alreadyCurrent(current) }
                let staged = StagedImage(tag: variant.manifest.tag, upload: id)
                try await storing { () throws(StoreError) in try await store.stage(staged) }
                return .staged(variant.manifest)
            } catch {
                refusal = refusal ?? error
                guard case .refused(let reason, _) = error.problem,
                    Self.encodingReasons.contains(reason)
                else { break }
            }
        }
        throw refusal ?? Self.unsuitable
    }

    // MARK: - Activating

    /// Makes the marked image current, if there is one.
    ///
    /// - Returns: the image, and whether it is on trial.
    package func activate() async throws(TransferError) -> (StoredImage, isOnTrial: Bool)? {
        guard let staged = await store.staged(), staged.mark != .none else { return nil }
        let image = try await takingTurn { () throws(TransferError) in
            try await publish(staged)
        }
        return (image, staged.mark == .trial)
    }

    /// Whether the image was marked for a trial when it became current.
    package func isOnTrial(_ image: StoredImage) async -> Bool {
        guard let staged = await store.staged() else { return false }
        return staged.tag == image.manifest.tag && staged.mark == .trial
    }

    // MARK: - Access to the store

    /// Waits until no other session is using the store, and then runs `body`.
    func takingTurn<Value: Sendable>(
        _ body: @Sendable () async throws(TransferError) -> Value
    ) async throws(TransferError) -> Value {
        let turn = StoreTurn(
            turns,
            StoreTurns.Claimant(process: nil, standing: { .working }, makeWay: {})
        )
        guard await turn.take() else { throw TransferError(.refused(.busy, detail: 0)) }
        defer { turn.giveBack() }
        return try await body()
    }

    func storing<Value: Sendable>(
        _ body: () async throws(StoreError) -> Value
    ) async throws(TransferError) -> Value {
        do throws(StoreError) {
            return try await body()
        } catch {
            throw TransferError(stored: error)
        }
    }

    /// The reasons to refuse one variant of a bundle, but not the others.
    static let encodingReasons: Set<Reason> = [
        .unsupportedEncoding, .wrongBase, .wrongRecipient, .mostlyHeld,
    ]

    private static var unsuitable: TransferError {
        TransferError(
            .source(
                FirmwareError(
                    .unsuitable,
                    fileName: "The upload",
                    "The upload is neither a bleota bundle nor an MCUboot image; upload a "
                        + "signed image of one of these kinds."
                )
            )
        )
    }
}

extension TransferError {
    init(stored error: StoreError) {
        if case .refused(let refusal) = error.code {
            self.init(.refused(refusal.reason, detail: refusal.detail))
        } else {
            self.init(.store(error))
        }
    }
}
