import Glibc
import SystemPackage

/// The unfinished uploads of a store. Each has a directory named after its SHA-256.
struct PartialUploads {
    let directory: FilePath
    private let byteCountLimit: Int
    let disk: Disk
    /// Space for manifests: a bundle may hold an image in two variants, with their manifests.
    private static let slackByteCount = 1 << 16
    /// The uploads that a peer has started or continued since the store was opened.
    private var opened: [UploadID: PartialUpload] = [:]

    init(directory: FilePath, imageByteCountLimit: Int, disk: Disk) {
        self.directory = directory
        byteCountLimit = min(Int(UInt32.max), 2 * imageByteCountLimit + Self.slackByteCount)
        self.disk = disk
    }

    /// The upload that was opened last under this ID; `nil` if it has been removed since.
    subscript(id: UploadID) -> PartialUpload? { opened[id] }

    /// Opens an upload, or starts it. If there are too many, others are removed in the order of
    /// ``RetentionRule``: those with the fewest bytes first.
    mutating func open(_ id: UploadID) throws(StoreError) -> PartialUpload {
        guard id.byteCount <= byteCountLimit else {
            throw .tooLarge(byteCount: id.byteCount, limit: byteCountLimit)
        }
        if let upload = opened[id] { return upload }
        try disk.makeDirectory(directory)
        let place = directory.appending(id.name)
        for other in excess(besides: place) { remove(at: other) }
        opened = opened.filter { $0.value.directory != place }
        let upload = try PartialUpload(id, in: place, on: disk)
        opened[id] = upload
        return upload
    }

    /// Removes an upload with all its bytes. If a directory can't be removed, a later upload
    /// removes it.
    mutating func remove(_ id: UploadID) { remove(at: directory.appending(id.name)) }

    private mutating func remove(at place: FilePath) {
        opened = opened.filter { $0.value.directory != place }
        try? PartialTransfer.remove(place, on: disk)
    }

    /// Uploads that must be removed to make a place for one more. Nothing in them has been
    /// verified, so their number is limited like that of transfers whose manifest has not been
    /// accepted yet.
    private func excess(besides place: FilePath) -> [FilePath] {
        let places = disk.names(in: directory).filter(StoreForm.isTag)
            .map { directory.appending($0) }
            .filter { $0 != place && disk.kind(of: $0) == .directory }
        let candidates = places.map { place in
            RetentionRule.Candidate(
                id: place,
                isTrusted: false,
                durableByteCount: durableByteCount(in: place),
                usedAt: disk.modificationTime(of: place)
            )
        }
        let (old, others) = RetentionRule.mayGo(candidates, forTrusted: false, now: Self.now)
        let count = max(0, others.count - (RetentionRule.unjudgedCountMax - 1))
        return old + others.prefix(count)
    }

    private func durableByteCount(in place: FilePath) -> Int {
        let held = try? PartialUpload.held(in: place, on: disk)
        return (held ?? nil)?.durableByteCount ?? 0
    }

    private static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
