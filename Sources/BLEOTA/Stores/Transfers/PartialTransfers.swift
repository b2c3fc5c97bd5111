import BLEOTACore
import BLEOTAManifest
import BLEOTAWire
import Glibc
import SystemPackage

/// The unfinished transfers of a store: a directory with one directory for each, by its tag.
struct PartialTransfers {
    let directory: FilePath
    let imageByteCountLimit: Int
    let disk: Disk

    func directory(of tag: TransferTag) -> FilePath {
        directory.appending(tag.hex)
    }

    /// Opens a transfer, or begins it. To make room it gives up only other transfers whose manifest
    /// was never accepted.
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

    /// The longest manifest that an image of this length can have: with the smallest blocks, and
    /// with the most attributes and signatures.
    private static func manifestByteCountMax(imageByteCount: Int) -> Int {
        let blockByteCount = 1 << Int(ManifestLayout.blockSizeExponents.lowerBound)
        let blockCount = (imageByteCount + blockByteCount - 1) / blockByteCount
        return min(
            ManifestLayout.byteCountMax,
            // The shortest has one hash.
            ManifestLayout.byteCountMin - ManifestLayout.blockHashByteCount
                + ManifestLayout.attributeByteCountMax
                + ManifestLayout.signatureByteCountMax
                + blockCount * ManifestLayout.blockHashByteCount
        )
    }

    /// What can't be removed now is removed another time.
    private func removeExcessOfUnjudged() {
        for place in unjudged().dropLast(RetentionRule.unjudgedCountMax - 1) {
            try? PartialTransfer.remove(place, on: disk)
        }
    }

    /// Transfers whose manifest was never accepted, the longest unused first.
    private func unjudged() -> [FilePath] {
        transfers().filter { !PartialTransfer.isJudged($0, on: disk) }
            .map { (time: disk.changeTime(of: $0), path: $0) }
            .sorted { $0.time < $1.time }.map(\.path)
    }

    /// Gives up transfers that are only announced where the rest of another has no room.
    private func makeRoomForRest(of place: FilePath, _ manifestByteCount: Int) {
        let rest = room(of: place).promised
        let needed = rest + manifestByteCount + PartialImage.slackByteCount
        let others = unjudged().filter { $0 != place }
        for other in others where disk.bytesFree(near: directory) < UInt64(needed) {
            try? PartialTransfer.remove(other, on: disk)
        }
    }

    /// What the files of a transfer take of the disk, and what they will take besides.
    private func room(of place: FilePath) -> (taken: Int, promised: Int) {
        StoreForm.transferNames.reduce((0, 0)) { sum, name in
            let room = disk.room(of: place.appending(name))
            return (sum.0 + room.taken, sum.1 + room.promised)
        }
    }

    /// Gives up what another transfer takes the place of, whose manifest was accepted: where there
    /// are too many, and where there is no room. What can't be removed now is removed another time,
    /// and keeps nobody from going on.
    ///
    /// - Parameters:
    ///   - place: the transfer's own directory.
    ///   - others: directories elsewhere that count as well.
    ///   - isTrusted: whether a key that is trusted has signed a manifest.
    /// - Throws: `noSpace` where it has no room even then; nothing was given up for room.
    func makePlace(
        for manifest: Manifest,
        in place: FilePath,
        besides others: [FilePath] = [],
        preferring isTrusted: (Manifest) -> Bool
    ) throws(StoreError) {
        let candidates = candidates(besides: others, without: place, isTrusted)
        // Signatures are looked at only where it matters.
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
                usedAt: disk.changeTime(of: place)
            )
        }
    }

    /// Gives up as many of `mayGo` as it takes that a transfer has room beside what was promised
    /// to `accepted`: whoever was accepted finds room until the end, whatever was accepted since.
    private func makeRoom(
        for manifest: Manifest,
        in place: FilePath,
        besides accepted: [FilePath],
        removing mayGo: [FilePath]
    ) throws(StoreError) {
        let hasBegun = PartialImage.hasBegun(manifest, in: place, on: disk)
        var needed =
            hasBegun ? room(of: place).promised : PartialImage.roomByteCount(for: manifest)
        // A manifest that comes next must find room too, so that it can be seen what gives way.
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

    /// The directories of all transfers. What else is in the directory of the shelf is not its own.
    func transfers() -> [FilePath] {
        disk.names(in: directory).filter(StoreForm.isTag).map { directory.appending($0) }
            .filter { disk.kind(of: $0) == .directory }
    }
}
