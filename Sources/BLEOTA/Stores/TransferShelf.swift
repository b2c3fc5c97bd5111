import BLEOTAWire
import SystemPackage

/// The unfinished transfers of a store: a directory with one directory for each, by its tag.
struct TransferShelf {
    /// How many are kept, so that a device that is offered ever new images does not fill up.
    static let countMax = 4

    let directory: FilePath
    let imageByteCountLimit: Int
    let disk: Disk

    func directory(of tag: TransferTag) -> FilePath {
        directory.appending(tag.hex)
    }

    /// Opens a transfer, or begins it in place of the one that was opened longest ago.
    func open(
        _ tag: TransferTag,
        manifestByteCount: Int
    ) throws(StoreError) -> PartialTransfer {
        let place = directory(of: tag)
        if disk.kind(of: place) == nil { try removeOldest(leaving: Self.countMax - 1) }
        return try PartialTransfer(
            tag,
            manifestByteCount: manifestByteCount,
            in: place,
            imageByteCountLimit: imageByteCountLimit,
            on: disk
        )
    }

    private func removeOldest(leaving count: Int) throws(StoreError) {
        var places = transfers().map { (time: disk.changeTime(of: $0), path: $0) }
        places.sort { $0.time < $1.time }
        for place in places.dropLast(count) { try PartialTransfer.remove(place.path, on: disk) }
    }

    /// The directories of all transfers.
    func transfers() -> [FilePath] {
        disk.names(in: directory).map { directory.appending($0) }
            .filter { disk.kind(of: $0) == .directory }
    }
}
