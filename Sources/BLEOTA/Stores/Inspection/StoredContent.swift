import BLEOTACore
import BLEOTAManifest
import BLEOTAWire
import SystemPackage

/// The bytes of an image that a store has published, as it is now that it is decoded.
struct StoredContent {
    let file: DiskFile
    let byteCount: Int
    private let manifest: Manifest

    /// `nil` where there is none that can be read.
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

    /// Those of its manifest, if they are of such blocks of the image as it is; else the file is
    /// read and hashed. `nil` where it can't be read, or has more blocks of that size, which the
    /// sender chooses, than any manifest has.
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
