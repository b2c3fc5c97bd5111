import BLEOTACore
import BLEOTAManifest
import BLEOTAWire
import Glibc
import SystemPackage

/// The unfinished transfers of a store. Each has a directory named after its tag.
struct PartialTransfers {
    let directory: FilePath
    let imageByteCountLimit: Int
    let disk: Disk

    func directory(of tag: TransferTag) -> FilePath {
        directory.appending(tag.hex)
    }

    /// Opens a transfer, or starts it. If there is too little space, discards only other
    /// transfers whose manifest was never accepted.
    func open(
        _ tag: TransferTag,
        manifestByteCount: Int
    ) throws(StoreError) -> PartialTransfer {
        let limit = Self.manifestByteCountMax(imageByteCount: imageByteCountLimit)
        guard manifestByteCount <= limit else {
            throw .manifestTooLarge(manifestByteCount, limit: limit)
        }
        let place = directory(of: tag)
        if disk.kind(of: place) == nil { removeExcessOfUnjudged() }
        makeRoomForRest(of: place, manifestByteCount)
        return try PartialTransfer(
            tag,
            manifestByteCount: manifestByteCount,
            in: place,
            imageByteCountLimit: imageByteCountLimit,
            on: disk
        )
    }

    /// The maximum length of a manifest for an image of this length: with the smallest blocks, and
    /// with the most attributes and signatures.
    private static func manifestByteCountMax(imageByteCount: Int) -> Int {
        let blockByteCount = 1 << Int(ManifestLayout.blockSizeExponents.lowerBound)
        let blockCount = (imageByteCount + blockByteCount - 1) / blockByteCount
        return min(
            ManifestLayout.byteCountMax,
            // The shortest manifest already contains one hash.
            ManifestLayout.byteCountMin - ManifestLayout.blockHashByteCount
                + ManifestLayout.attributeByteCountMax
                + ManifestLayout.signatureByteCountMax
                + blockCount * ManifestLayout.blockHashByteCount
        )
    }

    /// Removes the oldest transfers without an accepted manifest, so that there is a place for one
    /// more. Any that can't be removed now are removed later.
    private func removeExcessOfUnjudged() {
        for place in unjudged().dropLast(RetentionRule.unjudgedCountMax - 1) {
            try? PartialTransfer.remove(place, on: disk)
        }
    }

    /// Transfers whose manifest was never accepted, the longest unused first.
    private func unjudged() -> [FilePath] {
        transfers().filter { !PartialTransfer.isJudged($0, on: disk) }
            .map { (time: disk.modificationTime(of: $0), path: $0) }
            .sorted { $0.time < $1.time }.map(\.path)
    }

    /// Discards transfers without an accepted manifest until there is space for the rest of a
    /// transfer.
    private func makeRoomForRest(of place: FilePath, _ manifestByteCount: Int) {
        let rest = room(of: place).promised
        let needed = rest + manifestByteCount + PartialImage.slackByteCount
        let others = unjudged().filter { $0 != place }
        for other in others where disk.bytesFree(near: directory) < UInt64(needed) {
            try? PartialTransfer.remove(other, on: disk)
        }
    }

    /// The number of bytes that the files of a transfer occupy on the disk, and how many more they
    /// will occupy.
    private func room(of place: FilePath) -> (taken: Int, promised: Int) {
        StoreForm.transferNames.reduce((0, 0)) { sum, name in
            let room = disk.room(of: place.appending(name))
            return (sum.0 + room.taken, sum.1 + room.promised)
        }
    }

    /// Discards transfers in favor of one whose manifest was accepted, if there are too many or if
    /// there is too little space. Any that can't be removed now are removed later; this is not an
    /// error.
    ///
    /// - Parameters:
    ///   - place: the directory of the accepted transfer.
    ///   - others: directories of further transfers that count toward the limit.
    ///   - isTrusted: whether a trusted key has signed a manifest.
    /// - Throws: `noSpace` if there is too little space even then. In that case, nothing was
    ///   discarded to make space.
    func makePlace(
        for manifest: Manifest,
        in place: FilePath,
        besides others: [FilePath] = [],
        preferring isTrusted: (Manifest) -> Bool
    ) throws(StoreError) {
        let candidates = candidates(besides: others, without: place, isTrusted)
        // Verify signatures only if there are other transfers to compare with.
        let isTrusted = candidates.isEmpty || isTrusted(manifest)
        let excess = RetentionRule.givenUp(candidates, forTrusted: isTrusted, now: Self.now)
        for other in excess { try? PartialTransfer.remove(other, on: disk) }

        let left = candidates.filter { !excess.contains($0.id) }
        let mayGo = RetentionRule.mayGo(left, forTrusted: isTrusted, now: Self.now)
        try makeRoom(
            for: manifest,
            in: place,
            besides: left.map(\.id),
            removing: unjudged().filter { $0 != place } + mayGo.old + mayGo.others
        )
    }

    private func candidates(
        besides others: [FilePath],
        without place: FilePath,
        _ isTrusted: (Manifest) -> Bool
    ) -> [RetentionRule.Candidate<FilePath>] {
        let judged = transfers().filter { $0 != place && PartialTransfer.isJudged($0, on: disk) }
        return (judged + others).map { place in
            let manifest = try? PartialTransfer.manifest(in: place, on: disk)
            return RetentionRule.Candidate(
                id: place,
                isTrusted: manifest.map(isTrusted) ?? false,
                durableByteCount: manifest.map {
                    PartialImage.durableByteCount(of: $0, in: place, on: disk)
                } ?? 0,
                usedAt: disk.modificationTime(of: place)
            )
        }
    }

    /// Discards as many of `mayGo` as needed to have space for a transfer in addition to the bytes
    /// promised to `accepted`. An accepted transfer therefore has space until its end, whatever is
    /// accepted later.
    private func makeRoom(
        for manifest: Manifest,
        in place: FilePath,
        besides accepted: [FilePath],
        removing mayGo: [FilePath]
    ) throws(StoreError) {
        let hasBegun = PartialImage.hasBegun(manifest, in: place, on: disk)
        var needed =
            hasBegun ? room(of: place).promised : PartialImage.roomByteCount(for: manifest)
        // The next manifest must have space too, because it is needed to decide which transfers
        // give way.
        needed += Self.manifestByteCountMax(imageByteCount: manifest.largestByteCount)
        needed += accepted.reduce(0) { $0 + room(of: $1).promised }

        let bytesFree = Int(clamping: disk.bytesFree(near: place))
        var missing = needed - bytesFree
        var goes: [FilePath] = []
        for other in mayGo where missing > 0 {
            let room = room(of: other)
            missing -= room.taken + (accepted.contains(other) ? room.promised : 0)
            goes.append(other)
        }
        guard missing <= 0 else {
            throw .noSpace(place, byteCountMissing: missing, bytesFree: UInt64(bytesFree))
        }
        for other in goes { try? PartialTransfer.remove(other, on: disk) }
    }

    private static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    /// The directories of all transfers. Other entries in the directory are not the store's.
    func transfers() -> [FilePath] {
        disk.names(in: directory).filter(StoreForm.isTag).map { directory.appending($0) }
            .filter { disk.kind(of: $0) == .directory }
    }
}
