package import BLEOTAWire
import SystemPackage

/// An image that was uploaded and verified, but waits for a restart to become current.
package struct StagedImage: Hashable, Sendable {
    /// When the image becomes current.
    package enum Mark: String, Sendable {
        /// Not before a peer marks it.
        case none
        /// At the next restart, on trial.
        case trial
        /// At the next restart, for good.
        case permanent
    }

    /// The tag of the image's transfer.
    package let tag: TransferTag
    /// The upload in which the image arrived.
    package let upload: UploadID
    package var mark: Mark

    package init(tag: TransferTag, upload: UploadID, mark: Mark = .none) {
        self.tag = tag
        self.upload = upload
        self.mark = mark
    }

    /// Parses the target of the link ``StoreForm/staged``; `nil` if it is not a valid record.
    init?(target: FilePath) {
        let parts = target.string.split(separator: ".")
        guard parts.count == 4, let name = FilePath.Component(String(parts[0])),
            StoreForm.isTag(name), let tag = HexText.bytes(parts[0]),
            let sha256 = HexText.bytes(parts[1]), sha256.count == 32,
            let byteCount = UInt32(parts[2]), let mark = Mark(rawValue: String(parts[3]))
        else { return nil }
        self.tag = TransferTag(rawValue: tag.reversed().reduce(0) { $0 << 8 | UInt64($1) })
        upload = UploadID(sha256: sha256, byteCount: Int(byteCount))
        self.mark = mark
    }

    /// The target of the link that records the image.
    var target: FilePath {
        FilePath("\(tag.hex).\(HexText.text(upload.sha256)).\(upload.byteCount).\(mark.rawValue)")
    }
}
