import BLEOTA
import BLEOTASMP

extension ReceiveReporter {
    /// Reports the actions of an SMP client, in the same words as for bleota's own transfers.
    func tell(_ event: UploadEvent, of guest: String) {
        func forward(_ kind: ReceiverEvent.Kind) { tell(kind, of: guest) }
        switch event {
        case .progress(let progress): forward(.progress(progress))
        case .stored(let image, _): forward(.stored(image))
        case .alreadyCurrent(let image): forward(.alreadyCurrent(image))
        case .ended(let error): forward(.ended(error))
        case .started(let byteCount, let byte):
            tell(
                JSONLine(event: "started").adding("name", nil as String?)
                    .adding("bytes", byteCount).adding("encodedBytes", byteCount)
                    .adding("resumedFromByte", byte).adding("peer", guest),
                "receiving     a file, \(Units.grouped(byteCount)) bytes, from \(guest)"
                    + (byte > 0 ? ", resuming at byte \(Units.grouped(byte))" : "")
            )
        case .staged(let manifest):
            tell(
                JSONLine(event: "staged").adding("sha256", HexText.text(manifest.decodedSHA256))
                    .adding("bytes", manifest.decodedByteCount).adding("peer", guest),
                "staged        \(Self.text(of: manifest)) from \(guest): it becomes current at "
                    + "the first reset after a client has marked it"
            )
        case .marked(let hash, let isForGood):
            let purpose = isForGood ? "for good" : "on trial"
            tell(
                JSONLine(event: "marked").adding("hash", hash.map { HexText.text($0) })
                    .adding("onTrial", !isForGood).adding("peer", guest),
                hash == nil
                    ? "confirmed     the running image, as \(guest) requested"
                    : "marked        an image to run \(purpose) after the next reset, as \(guest) "
                        + "requested"
            )
        }
    }
}
