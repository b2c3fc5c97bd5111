import BLEOTAManifest
import SystemPackage

/// A file that arrives from its beginning to its end, before anything is known about its content.
///
/// ```
/// upload           the bytes that have arrived
/// upload.journal   the SHA-256 and the length of the whole file, and how much of it is durable
/// ```
///
/// The journal begins with a header of 40 bytes. Each flush of the data appends one more number, so
/// the last number in the journal is the durable length, whenever the power is cut. The bytes are
/// not trusted before all of them match the SHA-256.
final class PartialUpload {
    static let dataName: FilePath.Component = "upload"
    static let journalName: FilePath.Component = "upload.journal"

    private static let numberByteCount = 8
    private static let headerByteCount = 32 + numberByteCount
    /// How many bytes may be written before a flush; the same number as for a transfer.
    private static let unsynchronizedByteCountMax = 1 << 17

    let id: UploadID
    let directory: FilePath
    private let data: DiskFile
    private let journal: DiskFile
    private var journalByteCount: Int
    private let disk: Disk
    /// The number of bytes that have arrived.
    private(set) var byteCount: Int
    private var isFirstManifestTaken = false
    /// The number of bytes that survive a power cut.
    private(set) var durableByteCount: Int

    var isComplete: Bool { byteCount == id.byteCount }

    /// Opens the upload in `directory`, which is created if it doesn't exist.
    init(_ id: UploadID, in directory: FilePath, on disk: Disk) throws(StoreError) {
        self.id = id
        self.directory = directory
        self.disk = disk
        let (dataPath, journalPath) = Self.paths(in: directory)
        if let held = try Self.held(in: directory, on: disk), held.id == id {
            data = try DiskFile.open(dataPath, on: disk)
            journal = try DiskFile.open(journalPath, on: disk)
            (durableByteCount, journalByteCount) = (held.durableByteCount, held.journalByteCount)
        } else {
            try PartialTransfer.remove(directory, on: disk)
            try disk.requireSpace(id.byteCount, for: directory)
            try disk.makeDirectory(directory)
            data = try DiskFile.create(dataPath, byteCount: id.byteCount, on: disk)
            journal = try DiskFile.create(journalPath, byteCount: 0, on: disk)
            try journal.write(id.sha256 + Self.bytes(id.byteCount), at: 0)
            try journal.synchronize()
            try disk.synchronizeDirectory(directory)
            (durableByteCount, journalByteCount) = (0, Self.headerByteCount)
        }
        try disk.synchronizeDirectory(directory.removingLastComponent())
        disk.touch(directory)
        byteCount = durableByteCount
    }

    private static func paths(in directory: FilePath) -> (data: FilePath, journal: FilePath) {
        (directory.appending(dataName), directory.appending(journalName))
    }

    /// Appends bytes, at most as many as the upload still lacks.
    func append(_ bytes: [UInt8]) throws(StoreError) {
        precondition(
            bytes.count <= id.byteCount - byteCount,
            "an upload must not exceed its announced length"
        )
        try data.write(bytes, at: byteCount)
        byteCount += bytes.count
        if byteCount - durableByteCount >= Self.unsynchronizedByteCountMax || isComplete {
            try synchronize()
        }
    }

    /// Makes all bytes durable.
    func synchronize() throws(StoreError) {
        guard byteCount > durableByteCount else { return }
        try data.synchronize()
        try journal.write(Self.bytes(byteCount), at: journalByteCount)
        try journal.synchronize()
        journalByteCount += Self.numberByteCount
        durableByteCount = byteCount
    }

    /// The first manifest, if the file is a bundle and the manifest has arrived completely. It
    /// is returned only once.
    ///
    /// - Throws: a ``StoreError`` with the code `malformedManifest` if there is no valid
    ///   manifest where a bundle has its first one.
    func takeFirstManifest() throws(StoreError) -> Manifest? {
        guard !isFirstManifestTaken else { return nil }
        let head = try data.read(0..<min(byteCount, ImageBundle.firstManifestOffset))
        guard ImageBundle.begins(head) else {
            isFirstManifestTaken = head.count == ImageBundle.firstManifestOffset
            return nil
        }
        guard let manifestByteCount = ImageBundle.firstManifestByteCount(in: head) else {
            return nil
        }
        let end = ImageBundle.firstManifestOffset + manifestByteCount
        if end <= byteCount || end > id.byteCount {
            isFirstManifestTaken = true
            guard end <= byteCount else { return nil }
            let bytes = try data.read(ImageBundle.firstManifestOffset..<end)
            do throws(ManifestError) {
                return try Manifest(bytes: bytes)
            } catch {
                throw .malformed(error)
            }
        }
        return nil
    }

    /// Whether the complete file has the SHA-256 that its sender announced, if any.
    func isIntact() throws(StoreError) -> Bool {
        try data.synchronizeAndForget()
        if id.isAnonymous { return true }
        return try data.sha256() == id.sha256
    }

    // MARK: - The journal

    /// What the journal in `directory` states; `nil` if there is no complete header.
    static func held(
        in directory: FilePath,
        on disk: Disk
    ) throws(StoreError) -> (id: UploadID, durableByteCount: Int, journalByteCount: Int)? {
        let (dataPath, journalPath) = paths(in: directory)
        guard let journalByteCount = disk.fileByteCount(of: journalPath),
            journalByteCount >= headerByteCount,
            let dataByteCount = disk.fileByteCount(of: dataPath)
        else { return nil }
        let journal = try DiskFile.open(journalPath, on: disk, writable: false)
        let header = try journal.read(0..<headerByteCount)
        let id = UploadID(
            sha256: Array(header.prefix(32)),
            byteCount: number(header.suffix(numberByteCount))
        )
        guard dataByteCount == id.byteCount else { return nil }
        // A number that a power cut left incomplete is overwritten by the next one.
        let count = (journalByteCount - headerByteCount) / numberByteCount
        let end = headerByteCount + count * numberByteCount
        var durable = 0
        if count > 0 {
            let last = try journal.read(end - numberByteCount..<end)
            durable = number(last[...])
        }
        guard (0...id.byteCount).contains(durable) else { return nil }
        return (id, durable, end)
    }

    private static func bytes(_ number: Int) -> [UInt8] { UInt64(number).littleEndianBytes }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        Int(clamping: bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}
