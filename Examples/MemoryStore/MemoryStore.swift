// A custom store: it keeps images in memory, for a program that passes them on. What has arrived
// outlives a lost link, but not the process.
//
//     swift run MemoryStore firmware.bin /run/device.socket
import BLEOTA
import BLEOTADevice
import BLEOTAWire

actor MemoryStore: ImageStore {
    // README: transfer
    /// The part of one transfer that has arrived.
    private struct Transfer {
        let tag: TransferTag
        var manifestBytes: [UInt8]
        /// The accepted manifest, and the image with the blocks that are held.
        var manifest: Manifest?
        var image: [UInt8] = []
        var held: [Bool] = []
    }
    // end

    private(set) var current: StoredImage?
    private(set) var bytes: [UInt8] = []
    private var opened: Transfer?
    private var unfinished: [Transfer] = []
    private var counter: UInt32 = 0

    // README: open
    func open(_ tag: TransferTag, manifestByteCount: Int) throws(StoreError) -> ResumeState {
        guard opened == nil else { throw StoreError(.busy, "another transfer is open") }
        let known = unfinished.first { $0.tag == tag && $0.manifest != nil }
        let manifest = current?.manifest.tag == tag ? current?.manifest : known?.manifest
        guard (manifest?.bytes.count ?? manifestByteCount) == manifestByteCount else {
            throw StoreError(.manifestMismatch, "this manifest has another length; send it again")
        }
        if let current, current.manifest == manifest { return .current(current) }
        // A peer that only announces a transfer displaces nothing that was accepted.
        unfinished.removeAll { $0.tag == tag || $0.manifest == nil }
        let empty = [UInt8](repeating: 0, count: manifestByteCount)
        opened = known ?? Transfer(tag: tag, manifestBytes: empty)
        return manifest.map { .image($0, held: opened!.held) } ?? .manifest(blockCount: 0)
    }
    // end

    // README: write
    func write(_ block: [UInt8], object: ObjectID, blockIndex: Int) {
        if object == .manifest {
            let start = blockIndex * 4_096
            opened!.manifestBytes.replaceSubrange(start..<start + block.count, with: block)
        } else {
            let start = blockIndex * opened!.manifest!.blockByteCount
            opened!.image.replaceSubrange(start..<start + block.count, with: block)
            opened!.held[blockIndex] = true
        }
    }

    /// Memory has no disk to wait for.
    func synchronize() {}
    // end

    // README: accept
    func acceptManifest(
        unless refusal: @Sendable (Manifest) -> ManifestRefusal?,
        preferring isTrusted: @Sendable (Manifest) -> Bool
    ) throws(StoreError) -> (manifest: Manifest, held: [Bool]) {
        guard let manifest = try? Manifest(bytes: opened!.manifestBytes) else {
            throw StoreError(.malformedManifest, "the manifest breaks a rule; make it anew")
        }
        guard manifest.tag == opened!.tag else {
            throw StoreError(.manifestMismatch, "another manifest was announced; send it again")
        }
        if let refusal = refusal(manifest) {
            throw StoreError(.refused(refusal), "the policy refuses the image")
        }
        // One transfer has room, and one more if only that one is trusted.
        unfinished.removeAll { isTrusted(manifest) || !isTrusted($0.manifest!) }
        opened!.manifest = manifest
        opened!.image = [UInt8](repeating: 0, count: manifest.imageByteCount)
        opened!.held = [Bool](repeating: false, count: manifest.blockCount)
        return (manifest, opened!.held)
    }
    // end

    // README: status
    func status() -> StoreStatus { StoreStatus(counter: counter) }

    func raiseCounter(to counter: UInt32) { self.counter = max(self.counter, counter) }
    // end

    // README: publish
    func publish(decodedBy _: ImageDecoder) throws(StoreError) -> StoredImage {
        let transfer = opened!
        opened = nil
        let digest = transfer.image.withUnsafeBytes { SHA256.digest(of: $0) }
        guard transfer.manifest!.sha256.withUnsafeBytes({ digest.begins(with: $0) }) else {
            throw StoreError(.imageMismatch, "the image does not match its SHA-256; sign it anew")
        }
        let image = StoredImage(transfer.manifest!, path: nil)
        (current, bytes) = (image, transfer.image)
        return image
    }

    func release() {
        if let opened { unfinished.append(opened) }
        opened = nil
    }

    func discard() { opened = nil }
    // end
}

@main struct Main {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { return print("usage: MemoryStore FILE SOCKET") }
        let store = MemoryStore()
        let receiver = FirmwareReceiver(
            at: .socket(arguments[2]),
            storingIn: store,
            accepting: .unsigned()
        )
        let serving = Task { try await receiver.run() }
        let firmware = try await Firmware(contentsOf: arguments[1])
        print(try await firmware.push(to: .socket(arguments[2])))
        serving.cancel()
        try await serving.value
        print("in memory: \(await store.bytes.count) bytes")
    }
}
