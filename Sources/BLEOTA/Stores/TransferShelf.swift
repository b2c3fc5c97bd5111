import BLEOTACore
import BLEOTAWire
import Glibc
import SystemPackage

/// The unfinished transfers of a store: a directory with one directory for each, by its tag.
struct TransferShelf {
    let directory: FilePath
    let imageByteCountLimit: Int
    let disk: Disk

    func directory(of tag: TransferTag) -> FilePath {
        directory.appending(tag.hex)
    }

    /// Opens a transfer, or begins it. To make room it gives up only transfers whose manifest was
    /// never accepted.
    func open(
        _ tag: TransferTag,
        manifestByteCount: Int
    ) throws(StoreError) -> PartialTransfer {
        let limit = Self.manifestByteCountMax(imageByteCount: imageByteCountLimit)
        guard manifestByteCount <= limit else {
            throw .manifestTooLarge(manifestByteCount, limit: limit)
        }
        let place = directory(of: tag)
        if disk.kind(of: place) == nil { removeUnjudged() }
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
    private func removeUnjudged() {
        var unjudged = transfers().filter { !PartialTransfer.isJudged($0, on: disk) }
            .map { (time: disk.changeTime(of: $0), path: $0) }
        unjudged.sort { $0.time < $1.time }
        for place in unjudged.dropLast(ShelfRule.unjudgedCountMax - 1) {
            try? PartialTransfer.remove(place.path, on: disk)
        }
    }

    /// Gives up what another transfer takes the place of, whose manifest was accepted. What can't
    /// be removed now is removed another time, and keeps nobody from going on.
    ///
    /// - Parameters:
    ///   - others: directories elsewhere that count as well.
    ///   - isTrusted: whether a key that is trusted has signed a manifest.
    func makePlace(
        for manifest: Manifest,
        besides others: [FilePath] = [],
        preferring isTrusted: (Manifest) -> Bool
    ) {
        let judged = transfers().filter {
            $0.lastComponent?.string != manifest.tag.hex
                && PartialTransfer.isJudged($0, on: disk)
        }
        // Signatures are looked at only where it matters.
        guard !judged.isEmpty || !others.isEmpty else { return }
        let candidates = (judged + others).map { place in
            let manifest = try? PartialTransfer.manifest(in: place, on: disk)
            return ShelfRule.Candidate(
                id: place,
                isTrusted: manifest.map(isTrusted) ?? false,
                durableByteCount: manifest.map {
                    PartialImage.durableByteCount(of: $0, in: place, on: disk)
                } ?? 0,
                usedAt: disk.changeTime(of: place)
            )
        }
        let givenUp = ShelfRule.givenUp(
            candidates,
            forTrusted: isTrusted(manifest),
            now: Self.now
        )
        for place in givenUp { try? PartialTransfer.remove(place, on: disk) }
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
