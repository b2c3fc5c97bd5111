import BLEOTAManifest
import BLEOTAWire
import SystemPackage

/// A manifest that is being received, in two files in its transfer's directory.
///
/// `manifest.part` has each byte at its final offset. `manifest.journal` has the first 16 bytes of
/// the SHA-256 of each block of 4,096 bytes, written after the block. The journal is needed because
/// a manifest contains no hashes of its own blocks. After a crash, a block is held if it matches
/// its entry, no matter how much of either file reached the disk.
final class PartialManifest {
    static let dataName: FilePath.Component = "manifest.part"
    static let journalName: FilePath.Component = "manifest.journal"

    private static let blockByteCount = ManifestLayout.storageBlockByteCount
    private static let entryByteCount = 16

    private let byteCount: Int
    private let data: DiskFile
    private let journal: DiskFile
    private var held: [Bool]
    private var isDirty = false

    /// Opens the files of the manifest in `directory`, or creates them there.
    init(in directory: FilePath, byteCount: Int, on disk: Disk) throws(StoreError) {
        self.byteCount = byteCount
        let dataPath = directory.appending(Self.dataName)
        let journalPath = directory.appending(Self.journalName)
        let blockCount = (byteCount + Self.blockByteCount - 1) / Self.blockByteCount
        let journalByteCount = blockCount * Self.entryByteCount
        held = Array(repeating: false, count: blockCount)

        if disk.fileByteCount(of: dataPath) == byteCount,
            disk.fileByteCount(of: journalPath) == journalByteCount
        {
            data = try DiskFile.open(dataPath, on: disk)
            journal = try DiskFile.open(journalPath, on: disk)
            try findHeldBlocks()
        } else {
            try disk.requireSpace(byteCount + journalByteCount, for: dataPath)
            try disk.removeFile(journalPath)
            try disk.removeFile(dataPath)
            data = try DiskFile.create(dataPath, byteCount: byteCount, on: disk)
            journal = try DiskFile.create(journalPath, byteCount: journalByteCount, on: disk)
            try data.synchronize()
            try journal.synchronize()
            try disk.synchronizeDirectory(directory)
        }
    }

    private func findHeldBlocks() throws(StoreError) {
        // Blocks found here count as durable, so they must be read from the disk, not from memory.
        try data.synchronizeAndForget()
        try journal.synchronizeAndForget()
        let entries = try journal.read(0..<held.count * Self.entryByteCount)
        for index in held.indices {
            let start = index * Self.entryByteCount
            held[index] =
                try Self.entry(for: data.read(range(of: index)))
                == Array(entries[start..<start + Self.entryByteCount])
        }
    }

    /// The number of blocks before the first missing one.
    var heldBlockCount: Int { held.firstIndex(of: false) ?? held.count }

    /// Returns the whole manifest. All of its blocks must be held.
    func bytes() throws(StoreError) -> [UInt8] {
        precondition(heldBlockCount == held.count, "the manifest is not complete")
        return try data.read(0..<byteCount)
    }

    func write(_ bytes: [UInt8], blockIndex index: Int) throws(StoreError) {
        precondition(held.indices.contains(index) && bytes.count == range(of: index).count)
        isDirty = true
        try data.write(bytes, at: range(of: index).lowerBound)
        try journal.write(Self.entry(for: bytes), at: index * Self.entryByteCount)
        held[index] = true
    }

    func synchronize() throws(StoreError) {
        guard isDirty else { return }
        try data.synchronize()
        try journal.synchronize()
        isDirty = false
    }

    private func range(of index: Int) -> Range<Int> {
        let start = index * Self.blockByteCount
        return start..<min(start + Self.blockByteCount, byteCount)
    }

    private static func entry(for block: [UInt8]) -> [UInt8] {
        Array(SHA256.digest(of: block).prefix(entryByteCount))
    }
}
