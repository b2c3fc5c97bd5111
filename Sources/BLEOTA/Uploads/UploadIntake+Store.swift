import BLEOTACore
import BLEOTAManifest
import BLEOTAWire

extension UploadIntake {
    private static let fileName = "The upload"
    /// How many bytes may be written before a flush; the same number as for a transfer.
    private static let unsynchronizedByteCountMax = 1 << 17

    // MARK: - Judging

    /// The variants of an image in an upload.
    func variants(of content: ByteSource) throws(TransferError) -> [ImageVariant] {
        do throws(FirmwareError) {
            if let bundle = try ImageBundle(reading: content, fileName: Self.fileName) {
                return bundle.variants
            }
            guard
                let image = try MCUbootReader.describe(content, fileName: Self.fileName)
            else { return [] }
            return [ImageVariant(try Self.manifest(of: image, content), content)]
        } catch {
            throw TransferError(.source(error))
        }
    }

    /// The manifest that this device makes for an MCUboot image, which has none.
    private static func manifest(
        of image: MCUbootDescription,
        _ content: ByteSource
    ) throws(FirmwareError) -> Manifest {
        var restrictions = ImageRestrictions()
        restrictions.counter = try MCUbootTrust(image: image, content: content).counter()
        return try Manifest.make(
            imageByteCount: content.byteCount,
            version: image.version,
            restrictions: restrictions
        ) { (offset, byteCount) throws(FirmwareError) in
            try content.read(at: offset, byteCount: byteCount)
        }
    }

    /// Throws the reason if the policy refuses an image.
    ///
    /// - Parameter content: the image, whose own signature counts if it is an MCUboot image; `nil`
    ///   if it is not available.
    /// - Returns: whether a trusted key has signed the image or its manifest.
    func judge(
        _ manifest: Manifest,
        _ content: ByteSource?,
        for status: StoreStatus,
        isDecoded: Bool = false
    ) throws(TransferError) -> Bool {
        var refusal: ManifestRefusal?
        var isTrusted = policy.isTrusted(manifest)
        if !isTrusted, manifest.encoding == nil, let content, let image = try? Self.image(content) {
            do throws(TransferError) {
                try MCUbootTrust(image: image, content: content).require(policy.trustedKeys)
                isTrusted = true
            } catch {
                if !policy.acceptsUnsigned { throw error }
            }
            refusal = policy.refusal(ofMCUboot: manifest, isTrusted: isTrusted, for: status)
        } else {
            refusal = policy.refusal(of: manifest, for: status, isDecoded: isDecoded)
        }
        if let refusal {
            throw TransferError(.refused(refusal.reason, detail: refusal.detail))
        }
        return isTrusted
    }

    private static func image(_ content: ByteSource) throws(FirmwareError) -> MCUbootDescription? {
        try MCUbootReader.describe(content, fileName: fileName)
    }

    /// The reason the policy now refuses the current image; `nil` if it still accepts the image.
    package func refusal(ofCurrent image: StoredImage) async throws(StoreError) -> TransferError? {
        let status = try await store.status()
        guard let refusal = policy.refusal(ofCurrent: image, for: status) else { return nil }
        let content = await store.content(of: image.manifest.tag)
        do throws(TransferError) {
            var policy = self
            // An installation may be under way; it does not make the image any less acceptable.
            policy.policy.judge = { _ in nil }
            _ = try policy.judge(image.manifest, content, for: status, isDecoded: true)
            return nil
        } catch {
            return TransferError(.refused(refusal.reason, detail: refusal.detail))
        }
    }

    // MARK: - Handing over

    /// Puts an image into the store, as a transfer that is complete, if the policy accepts it.
    ///
    /// - Returns: the image, if it is the current one already.
    func put(_ variant: ImageVariant) async throws(TransferError) -> StoredImage? {
        let manifest = variant.manifest
        let status = try await storing { () throws(StoreError) in try await store.status() }
        // Whether the image must be decoded is known only once the store has looked for it.
        _ = try judge(manifest, variant.content, for: status, isDecoded: true)
        let held = try await storing { () throws(StoreError) in
            try await store.open(manifest.tag, manifestByteCount: manifest.bytes.count)
        }
        var isNew = false
        do throws(TransferError) {
            switch held {
            case .current(let image): return image
            case .decoded: break
            case .image(_, let held):
                _ = try judge(manifest, variant.content, for: status)
                try await write(variant, except: held)
            case .manifest(let blockCount):
                isNew = true
                let isTrusted = try judge(manifest, variant.content, for: status)
                try await write(manifest, from: blockCount)
                let held = try await storing { () throws(StoreError) in
                    try await store.acceptManifest(
                        unless: { _ in nil },
                        preferring: { [policy] in
                            $0.tag == manifest.tag ? isTrusted : policy.isTrusted($0)
                        }
                    ).held
                }
                isNew = false
                try await write(variant, except: held)
            }
        } catch {
            if isNew { await store.discard() } else { await store.release() }
            throw error
        }
        await store.release()
        return nil
    }

    private func write(_ manifest: Manifest, from blockCount: Int) async throws(TransferError) {
        let size = ObjectPlan.manifestBlockByteCount
        try await storing { () throws(StoreError) in
            var index = blockCount
            while index * size < manifest.bytes.count {
                let end = min((index + 1) * size, manifest.bytes.count)
                let block = Array(manifest.bytes[index * size..<end])
                try await store.write(block, object: .manifest, blockIndex: index)
                index += 1
            }
            try await store.synchronize()
        }
    }

    private func write(_ variant: ImageVariant, except held: [Bool]) async throws(TransferError) {
        let manifest = variant.manifest
        var unsynchronized = 0
        for (index, isHeld) in held.enumerated() where !isHeld {
            let start = index * manifest.blockByteCount
            let byteCount = min(manifest.blockByteCount, variant.byteCount - start)
            let block: [UInt8]
            do throws(FirmwareError) {
                block = try variant.read(at: start, byteCount: byteCount)
            } catch {
                throw TransferError(.source(error))
            }
            guard manifest.matches(block.span.bytes, blockIndex: index) else {
                throw TransferError(.refused(.imageMismatch, detail: 0))
            }
            unsynchronized += byteCount
            let mustFlush = unsynchronized >= Self.unsynchronizedByteCountMax
            if mustFlush { unsynchronized = 0 }
            try await storing { () throws(StoreError) in
                try await store.write(block, object: .image, blockIndex: index)
                if mustFlush { try await store.synchronize() }
            }
        }
        try await storing { () throws(StoreError) in try await store.synchronize() }
    }

    /// Makes a staged image current.
    func publish(_ staged: StagedImage) async throws(TransferError) -> StoredImage {
        guard let manifest = await store.manifest(of: staged.tag) else {
            throw TransferError(.noSuchObject)
        }
        let content = await store.content(of: staged.tag)
        let (status, held) = try await storing { () throws(StoreError) in
            let status = try await store.status()
            return (
                status,
                try await store.open(staged.tag, manifestByteCount: manifest.bytes.count)
            )
        }
        if case .current(let image) = held { return image }
        do throws(TransferError) {
            var isDecoded = false
            if case .decoded = held { isDecoded = true }
            let isTrusted = try judge(manifest, content, for: status, isDecoded: isDecoded)
            return try await storing { () throws(StoreError) in
                if isTrusted, let counter = manifest.counter {
                    try await store.raiseCounter(to: counter)
                }
                return try await store.publish(decodedBy: policy.decoder)
            }
        } catch {
            await store.release()
            throw error
        }
    }
}
