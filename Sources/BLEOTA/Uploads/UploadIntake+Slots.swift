import BLEOTAManifest
import BLEOTAWire

extension UploadIntake {
    /// The reason a slot can't be marked or erased.
    package enum SlotError: Error, Hashable, Sendable {
        /// No slot holds an image with this hash.
        case unknownHash
        /// The image is already running, so it can't be marked for a test.
        case runsAlready
        /// The device is about to run another image.
        case isInstalling
        /// Nothing is known about the image that runs.
        case unknownImage
        /// The slot holds the image that the device would return to.
        case isProtected
        /// There is no such slot, or it holds the image that runs.
        case wrongSlot
        case failed(TransferError)
    }

    /// The contents of the slots.
    private struct Layout {
        var active: Manifest?
        var other: Manifest?
        /// The image that waits for a restart, if any; its manifest is then `other`.
        var waiting: StagedImage?
        var isConfirmed: Bool
        var isInstalling: Bool
    }

    private func layout() async -> Layout {
        let (current, previous) = await store.linkedManifests()
        let running = policy.running()
        let staged = await store.staged()
        let isWaiting = staged.map { $0.tag != current?.tag } ?? false
        var layout = Layout(
            waiting: isWaiting ? staged : nil,
            isConfirmed: running.state != .onTrial,
            isInstalling: isInstalled && running.state == .installing
        )
        if isWaiting, let staged { layout.other = await store.manifest(of: staged.tag) }
        let runsCurrent = current.map(running.isOf) ?? false
        if !isInstalled || runsCurrent || running.state == .unknown {
            layout.active = current
            layout.other = layout.other ?? previous
            if !runsCurrent { layout.isConfirmed = isWaiting || staged?.mark != .trial }
        } else {
            // The device does not run the current image yet, or could not install it.
            layout.active = previous.flatMap { running.isOf($0) ? $0 : nil }
            layout.other = layout.other ?? current
        }
        return layout
    }

    /// Both slots; the second only if it holds an image.
    package func slots() async -> [ImageSlot] {
        let layout = await layout()
        var active = ImageSlot(number: 0, version: "", hash: [], byteCount: 0)
        if let manifest = layout.active { active = await slot(0, manifest) }
        active.isActive = true
        active.isConfirmed = layout.isConfirmed
        guard let manifest = layout.other else { return [active] }
        var other = await slot(1, manifest)
        if let staged = layout.waiting {
            other.isPending = staged.mark != .none
            other.isPermanent = staged.mark == .permanent
        } else {
            other.isPending = layout.isInstalling
        }
        return [active, other]
    }

    private func slot(_ number: Int, _ manifest: Manifest) async -> ImageSlot {
        ImageSlot(
            number: number,
            version: manifest.version ?? "",
            hash: await hash(of: manifest),
            byteCount: manifest.decodedByteCount
        )
    }

    /// The hash by which a bootloader identifies an image, or the SHA-256 of all its bytes.
    private func hash(of manifest: Manifest) async -> [UInt8] {
        guard let content = await store.content(of: manifest.tag),
            let hash = try? MCUbootReader.statedHash(of: content)
        else { return manifest.decodedSHA256 }
        return hash
    }

    // MARK: - Changes

    /// Marks the image with this hash to become current at the next restart. If that image is
    /// running already, it is confirmed instead, unless `isPermanent` is false.
    package func mark(hash: [UInt8], isPermanent: Bool) async throws(SlotError) {
        let layout = await layout()
        if let active = layout.active, await self.hash(of: active) == hash {
            guard isPermanent else { throw .runsAlready }
            return try await confirmRunning()
        }
        guard let other = layout.other, await self.hash(of: other) == hash else {
            throw .unknownHash
        }
        // The current image is being installed, or is waiting to be installed.
        if layout.waiting == nil, layout.isInstalling { return }
        // What was accepted long ago may be refused now. The client has to hear that before it
        // restarts the device, because nothing tells it afterwards.
        if layout.waiting == nil { try await requireAcceptable(other) }
        var staged =
            layout.waiting
            ?? StagedImage(
                tag: other.tag,
                upload: UploadID(sha256: other.decodedSHA256, byteCount: other.decodedByteCount)
            )
        staged.mark = isPermanent ? .permanent : .trial
        try await changing(staged)
    }

    private func requireAcceptable(_ manifest: Manifest) async throws(SlotError) {
        do throws(TransferError) {
            let status = try await storing { () throws(StoreError) in try await store.status() }
            let content = await store.content(of: manifest.tag)
            _ = try judge(manifest, content, for: status, isDecoded: true)
        } catch {
            throw .failed(error)
        }
    }

    /// Records that the device keeps the running image.
    package func confirmRunning() async throws(SlotError) {
        let layout = await layout()
        if layout.isInstalling { throw .isInstalling }
        guard let active = layout.active else { throw .unknownImage }
        do throws(StoreError) {
            try running.write(.confirmed, sha256: active.decodedSHA256)
        } catch {
            throw .failed(TransferError(.store(error)))
        }
    }

    /// Removes the image that waits for a restart.
    package func erase(slot: Int) async throws(SlotError) {
        guard slot == 1 else { throw .wrongSlot }
        let layout = await layout()
        guard layout.waiting != nil else {
            if layout.other == nil { return }
            throw .isProtected
        }
        try await changing(nil)
    }

    private func changing(_ staged: StagedImage?) async throws(SlotError) {
        do throws(TransferError) {
            try await takingTurn { () throws(TransferError) in
                try await storing { () throws(StoreError) in try await store.stage(staged) }
            }
        } catch {
            throw .failed(error)
        }
    }
}

extension RunningImage {
    /// Whether the device reports that it runs this image.
    fileprivate func isOf(_ manifest: Manifest) -> Bool {
        tag == UInt64(receiptOf: manifest.decodedSHA256)
    }
}
