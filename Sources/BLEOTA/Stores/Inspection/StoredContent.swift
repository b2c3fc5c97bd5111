import BLEOTACore
import BLEOTAManifest
import BLEOTAWire
import SystemPackage

/// The decoded bytes of an image that a store has published.
struct StoredContent {
    let file: DiskFile
    let byteCount: Int
    private let manifest: Manifest

    /// Returns `nil` if there is no readable image.
    init?(in directory: FilePath, on disk: Disk) {
        guard let manifest = try? PartialTransfer.manifest(in: directory, on: disk),
            let file = try? DiskFile.open(
                directory.appending(PartialImage.dataName),
                on: disk,
                writable: false
            )
        else { return nil }
        self.file = file
        self.manifest = manifest
        byteCount = manifest.decodedByteCount
    }

    /// The block hashes of the image. They are read from the manifest if it has hashes of the
    /// unencoded image in blocks of this size; otherwise the file is read and hashed. Returns
    /// `nil` if the file can't be read, or if the image has more blocks of this size, which the
    /// sender chooses, than any manifest can describe.
    func hashes(blockByteCount: Int) -> ImageHashes? {
        if manifest.encoding == nil, manifest.blockByteCount == blockByteCount {
            return manifest.hashes
        }
        let blockCount = byteCount / blockByteCount
        guard blockCount * ManifestLayout.blockHashByteCount < ManifestLayout.byteCountMax else {
            return nil
        }
        return try? ImageHashes(byteCount, blockByteCount) {
            (offset, byteCount) throws(StoreError) in
            try file.read(offset..<offset + byteCount)
        }
    }
}
