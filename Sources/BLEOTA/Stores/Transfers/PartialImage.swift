import BLEOTAManifest
import BLEOTAWire
import SystemPackage

/// An image that is being received, in two files in its transfer's directory.
///
/// `image`, or `encoded` if the image is sent encoded, has its final length from the start, with
/// each block at its final offset. `journal` has a byte for each block: 1 means that the block is
/// durable, and is written only after the data has been synchronized. The journal only saves work.
/// When the image is opened, each block whose byte is not 1 is checked against its hash, unless
/// nothing was ever written to it. Before the image is published, all of it is hashed.
final class PartialImage {
    static let dataName: FilePath.Component = "image"
    static let encodedName: FilePath.Component = "encoded"
    static let journalName: FilePath.Component = "journal"

    /// The state of a block. Only the first two values appear in the journal.
    private enum Mark {
        static let missing: UInt8 = 0
        static let durable: UInt8 = 1
        static let written: UInt8 = 2
        /// Part of a flush in progress.
        static let flushing: UInt8 = 3
    }

    /// Space for directories and the file system's own tables, in addition to the files.
    static let slackByteCount = 16_384

    private let manifest: Manifest
    private let data: DiskFile
    private let journal: DiskFile
    private var marks: [UInt8]
    /// The range of the blocks that were written but not synchronized, from the first to the last.
    private var unsynchronized: Range<Int>?
    /// The range of the blocks in the flush in progress.
    private var flushing: Range<Int>?

    /// The space that an image needs before any of it has arrived, including its decoded form.
    static func roomByteCount(for manifest: Manifest) -> Int {
        manifest.imageByteCount + (manifest.encoding == nil ? 0 : manifest.decodedByteCount)
            + manifest.blockCount + slackByteCount
    }

    /// Whether the file for the image of `manifest` already exists in `directory`, with its final
    /// length.
    static func hasBegun(_ manifest: Manifest, in directory: FilePath, on disk: Disk) -> Bool {
        disk.fileByteCount(of: dataPath(manifest, directory)) == manifest.imageByteCount
    }

    private static func dataPath(_ manifest: Manifest, _ directory: FilePath) -> FilePath {
        directory.appending(manifest.encoding == nil ? dataName : encodedName)
    }

    /// Opens the files of the image in `directory`, or creates them there. The caller checks
    /// first that there is space.
    init(_ manifest: Manifest, in directory: FilePath, on disk: Disk) throws(StoreError) {
        self.manifest = manifest
        let dataPath = Self.dataPath(manifest, directory)
        let journalPath = directory.appending(Self.journalName)
        marks = Array(repeating: Mark.missing, count: manifest.blockCount)

        let isHeld = Self.hasBegun(manifest, in: directory, on: disk)
        let isJournalHeld = isHeld && disk.fileByteCount(of: journalPath) == marks.count
        if !isJournalHeld, disk.kind(of: journalPath) != nil {
            // The marks of an earlier file must be removed durably before this file exists.
            try disk.removeFile(journalPath)
            try disk.synchronizeDirectory(directory)
        }
        if isHeld {
            data = try DiskFile.open(dataPath, on: disk)
        } else {
            try disk.removeFile(dataPath)
            data = try DiskFile.create(dataPath, byteCount: manifest.imageByteCount, on: disk)
            try data.synchronize()
        }
        if isJournalHeld {
            journal = try DiskFile.open(journalPath, on: disk)
        } else {
            journal = try DiskFile.create(journalPath, byteCount: marks.count, on: disk)
            try journal.synchronize()
            try disk.synchronizeDirectory(directory)
        }
        if isHeld { try findHeldBlocks() }
    }

    //= END-6: If a session ends for any reason but two, a receiver MUST keep what is durable.
    private func findHeldBlocks() throws(StoreError) {
        marks = try journal.read(0..<marks.count).map { $0 == Mark.durable ? $0 : Mark.missing }
        guard marks.contains(Mark.missing) else { return }
        // Blocks found here count as durable, so they must be read from the disk, not from memory.
        try data.synchronizeAndForget()
        var hasFound = false
        var index = 0
        while let missing = marks[index...].firstIndex(of: Mark.missing) {
            // Skip holes, in which nothing has ever been written, without reading them.
            guard let written = data.nextData(from: missing * manifest.blockByteCount) else {
                break
            }
            index = written / manifest.blockByteCount
            if marks[index] == Mark.missing, try blockIsRight(index) {
                marks[index] = Mark.durable
                hasFound = true
            }
            index += 1
        }
        if hasFound { try journal.write(marks, at: 0) }
    }

    /// The number of durable bytes of an image that is not open: those of the blocks marked in its
    /// journal or, if the image is complete and no longer has a journal, all of them.
    static func durableByteCount(
        of manifest: Manifest,
        in directory: FilePath,
        on disk: Disk
    ) -> Int {
        let path = directory.appending(journalName)
        guard disk.fileByteCount(of: path) == manifest.blockCount,
            let journal = try? DiskFile.open(path, on: disk, writable: false),
            let marks = try? journal.read(0..<manifest.blockCount)
        else {
            let image = directory.appending(dataName)
            let isWhole =
                disk.fileByteCount(of: image) == manifest.decodedByteCount
                && disk.kind(of: path) == nil
            return isWhole ? manifest.imageByteCount : 0
        }
        return marks.count { $0 == Mark.durable } * manifest.blockByteCount
    }

    private func blockIsRight(_ index: Int) throws(StoreError) -> Bool {
        let block = try data.read(range(of: index))
        return manifest.matches(block.span.bytes, blockIndex: index)
    }

    /// For each block, whether it is durable.
    var held: [Bool] { marks.map { $0 == Mark.durable } }

    func write(_ bytes: [UInt8], blockIndex index: Int) throws(StoreError) {
        precondition(marks.indices.contains(index) && bytes.count == range(of: index).count)
        // A held block already matches its hash, and must not be put at risk again.
        guard marks[index] == Mark.missing else { return }
        try data.write(bytes, at: range(of: index).lowerBound)
        marks[index] = Mark.written
        noteUnsynchronized(index..<index + 1)
    }

    /// Copies the missing blocks that another image contains at any position, and makes them
    /// durable, so that they need not be sent. The cost is a comparison of both manifests, and
    /// reading, hashing and writing the copied blocks.
    ///
    /// Blocks that can't be read from the other image remain missing.
    ///
    /// - Parameters:
    ///   - other: the hashes of the other image, in blocks as long as those of this image.
    ///   - otherByteCount: the length of the other image.
    ///   - file: the file that contains the other image.
    func adoptBlocks(
        of other: ImageHashes,
        _ otherByteCount: Int,
        from file: DiskFile
    ) throws(StoreError) {
        let (places, wanted) = (BlockPlaces(of: other), manifest.hashes)
        for index in marks.indices where marks[index] == Mark.missing {
            guard let place = places[wanted, index] else { continue }
            let start = place * manifest.blockByteCount
            let range = start..<min(start + manifest.blockByteCount, otherByteCount)
            guard let block = try? file.read(range), range.count == self.range(of: index).count,
                manifest.matches(block.span.bytes, blockIndex: index)
            else { continue }
            try write(block, blockIndex: index)
        }
        try synchronize()
    }

    private func noteUnsynchronized(_ blocks: Range<Int>) {
        let others = unsynchronized ?? blocks
        unsynchronized =
            min(others.lowerBound, blocks.lowerBound)..<max(others.upperBound, blocks.upperBound)
    }

    /// Returns a flush of everything written so far; `nil` if there is nothing to flush. Only one
    /// flush may be in progress.
    func beginFlush() throws(StoreError) -> FileFlush? {
        precondition(flushing == nil, "one flush at a time")
        guard let unsynchronized else { return nil }
        let flush = try data.flush()
        for index in unsynchronized where marks[index] == Mark.written {
            marks[index] = Mark.flushing
        }
        flushing = unsynchronized
        self.unsynchronized = nil
        return flush
    }

    /// Completes the flush: marks its blocks as durable, in the journal too, or throws its failure.
    func endFlush(_ failure: StoreError?) throws(StoreError) {
        guard let blocks = flushing else { preconditionFailure("no flush is under way") }
        flushing = nil
        let outcome = failure == nil ? Mark.durable : Mark.written
        for index in blocks where marks[index] == Mark.flushing { marks[index] = outcome }
        if let failure {
            data.flushFailed(failure)
            noteUnsynchronized(blocks)
            throw failure
        }
        let entries = marks[blocks].map { $0 == Mark.durable ? $0 : Mark.missing }
        try journal.write(entries, at: blocks.lowerBound)
    }

    private func synchronize() throws(StoreError) {
        guard try beginFlush() != nil else { return }
        var failure: StoreError?
        do throws(StoreError) { try data.synchronize() } catch { failure = error }
        try endFlush(failure)
    }

    /// Reads the stored image back and checks its hash.
    ///
    /// - Throws: `storeFailed` if blocks do not match their hashes; these blocks then count as
    ///   missing. `imageMismatch` if all blocks match but the whole image does not.
    func verify() throws(StoreError) {
        try synchronize()
        try data.synchronizeAndForget()
        //= OBJ-6: A receiver MUST check the SHA-256 of the whole image in its store before it makes
        //= the image current. It MUST make the image current in one atomic step.
        if try data.sha256() == manifest.sha256 { return }

        var wrongCount = 0
        for index in marks.indices where try !blockIsRight(index) {
            marks[index] = Mark.missing
            wrongCount += 1
        }
        if wrongCount == 0 { throw .imageMismatch(manifest) }
        try journal.write(marks, at: 0)
        try journal.synchronize()
        throw .damaged(data.path, blockCount: wrongCount)
    }

    func read(_ range: Range<Int>) throws(StoreError) -> [UInt8] { try data.read(range) }

    private func range(of index: Int) -> Range<Int> {
        let start = index * manifest.blockByteCount
        return start..<start + manifest.fields.byteCount(ofBlock: index)
    }
}
