import BLEOTAManifest
import BLEOTAWire
import SystemPackage

/// An image that is arriving, in two files of its transfer's directory.
///
/// `image`, or `encoded` where it travels encoded, has its final length from the start and its
/// blocks in place. `journal` has a byte for
/// each block: 1 says that the block is durable and is written only after the image was
/// synchronised. The journal saves work, it decides nothing: blocks without a mark are compared
/// with their hashes when the image is opened, and the whole image is hashed before it is
/// published.
final class PartialImage {
    static let dataName: FilePath.Component = "image"
    static let encodedName: FilePath.Component = "encoded"
    static let journalName: FilePath.Component = "journal"

    /// What is known of a block; in the journal only the first two appear.
    private enum Mark {
        static let missing: UInt8 = 0
        static let durable: UInt8 = 1
        static let written: UInt8 = 2
        /// Written before a flush that is under way.
        static let flushing: UInt8 = 3
    }

    /// What directories and the file system's own tables may take besides the files.
    static let slackByteCount = 16_384

    private let manifest: Manifest
    private let data: DiskFile
    private let journal: DiskFile
    private var marks: [UInt8]
    /// The blocks between the first and the last that were written and not yet synchronised.
    private var unsynchronized: Range<Int>?
    /// The same of a flush that is under way.
    private var flushing: Range<Int>?

    /// How much room an image needs that has not begun, as it travels and decoded.
    static func roomByteCount(for manifest: Manifest) -> Int {
        manifest.imageByteCount + (manifest.encoding == nil ? 0 : manifest.decodedByteCount)
            + manifest.blockCount + slackByteCount
    }

    /// Whether the image of `manifest` has begun in `directory`.
    static func hasBegun(_ manifest: Manifest, in directory: FilePath, on disk: Disk) -> Bool {
        disk.fileByteCount(of: dataPath(manifest, directory)) == manifest.imageByteCount
    }

    private static func dataPath(_ manifest: Manifest, _ directory: FilePath) -> FilePath {
        directory.appending(manifest.encoding == nil ? dataName : encodedName)
    }

    /// Opens what is in `directory`, or begins it there. Whether there is room was seen before.
    init(_ manifest: Manifest, in directory: FilePath, on disk: Disk) throws(StoreError) {
        self.manifest = manifest
        let dataPath = Self.dataPath(manifest, directory)
        let journalPath = directory.appending(Self.journalName)
        marks = Array(repeating: Mark.missing, count: manifest.blockCount)

        let isHeld = Self.hasBegun(manifest, in: directory, on: disk)
        let isJournalHeld = isHeld && disk.fileByteCount(of: journalPath) == marks.count
        if !isJournalHeld, disk.kind(of: journalPath) != nil {
            // The marks of another file must be gone for good before this one exists.
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

    //= END-6: A receiver MUST keep what is durable when a session ends for any reason but a
    //= refusal, or *withdrawn* in CLOSE.
    private func findHeldBlocks() throws(StoreError) {
        marks = try journal.read(0..<marks.count).map { $0 == Mark.durable ? $0 : Mark.missing }
        guard marks.contains(Mark.missing) else { return }
        // What is found counts as durable, so it must come from the disk.
        try data.synchronizeAndForget()
        var hasFound = false
        var index = 0
        while let missing = marks[index...].firstIndex(of: Mark.missing) {
            // Holes, where nothing was ever written, are stepped over without reading them.
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

    /// How much is durable of an image that is not open: what its journal says, or all of it where
    /// it needs none any more.
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

    /// An element for each block: whether it is durable.
    var held: [Bool] { marks.map { $0 == Mark.durable } }

    func write(_ bytes: [UInt8], blockIndex index: Int) throws(StoreError) {
        precondition(marks.indices.contains(index) && bytes.count == range(of: index).count)
        // What is held has the right hash and is not put at risk again.
        guard marks[index] == Mark.missing else { return }
        try data.write(bytes, at: range(of: index).lowerBound)
        marks[index] = Mark.written
        noteUnsynchronized(index..<index + 1)
    }

    /// Copies the missing blocks that another image has too, wherever they lie in it, and makes
    /// them durable, so that nobody has to send them. Costs a look at both manifests, and reading,
    /// hashing and writing what is copied.
    ///
    /// What can't be read of the other image is left to the sender.
    ///
    /// - Parameters:
    ///   - other: its hashes, of blocks as long as those of this one.
    ///   - otherByteCount: its length.
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

    /// What makes everything written so far durable; `nil` if it is. One at a time.
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

    /// Takes what came of the flush: marks the blocks that were written before it, in the journal
    /// too, or throws its failure.
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

    /// Hashes the image as it is stored.
    ///
    /// - Throws: `storeFailed` when blocks are wrong, which are missing from then on, and
    ///   `imageMismatch` when none is and the whole still is not what the manifest says.
    func verify() throws(StoreError) {
        try synchronize()
        try data.synchronizeAndForget()
        //= OBJ-6: A receiver MUST check the SHA-256 of the whole image as it is stored before it
        //= makes the image current, and MUST make it current in one atomic step.
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
