import BLEOTA
import BLEOTAWire
import Synchronization
import SystemPackage

/// Reports the events at a receiver: one line per important event, even in the log of a service.
///
/// New images are always reported. The allowance limits the lines for all other events.
final class ReceiveReporter: Sendable {
    private let imagePath: FilePath
    private let hardware: HardwareRange?
    private let reporter: Reporter
    private let allowance = Mutex(LogAllowance(now: .now))

    /// - Parameters:
    ///   - directory: the directory of the store.
    ///   - hardware: the hardware that this receiver states.
    init(directory: FilePath, hardware: HardwareRange?, _ reporter: Reporter) {
        self.hardware = hardware
        imagePath = directory.appending("current").appending("image")
        self.reporter = reporter
        reporter.atEnd { [self] () throws(Failure) in tellLeftOut() }
    }

    /// - Parameter guest: the name of the peer.
    func tell(_ event: ReceiverEvent.Kind, of guest: String) {
        switch event {
        case .listening: return
        case .progress(let progress): return reporter.progress(progress)
        case .stored: break
        default: guard mayTell() else { return }
        }
        reporter.removeLine()
        switch event {
        case .started(let manifest, let byte): tellStart(manifest, byte, guest)
        case .listening, .progress: break
        case .stored(let image): tell(image, isNew: true, guest)
        case .alreadyCurrent(let image): tell(image, isNew: false, guest)
        case .ended(let error):
            let word = error.isRefusal ? "refused" : error.isSwitch ? "switching" : "ended"
            tellEnd(error.receiversSentence(at: hardware), word, nil, guest)
        case .served(let name, let report):
            reporter.event(
                JSONLine(event: "served").adding("name", name).adding("bytes", report.byteCount)
                    .adding("peer", guest)
            )
            reporter.note("served        \(name) to \(guest)")
        case .servingEnded(let name, let error):
            tellEnd(error.receiversSentence(at: hardware), "ended", name, guest)
        }
    }

    /// Reports an event of another protocol, unless there are too many events.
    func tell(_ line: JSONLine, _ note: String) {
        guard mayTell() else { return }
        reporter.removeLine()
        reporter.event(line)
        reporter.note(note)
    }

    /// Whether another line may be printed. If so, first prints the number of lines left out.
    private func mayTell() -> Bool {
        guard allowance.withLock({ $0.take(now: .now) }) else { return false }
        tellLeftOut()
        return true
    }

    private func tellLeftOut() {
        let count = allowance.withLock { $0.takeLeftOutCount() }
        guard count > 0 else { return }
        reporter.event(JSONLine(event: "leftOut").adding("events", count))
        reporter.note(
            "left out      \(Units.grouped(count)) lines, because peers connected too often"
        )
    }

    private func tellStart(_ manifest: Manifest, _ byte: Int, _ guest: String) {
        reporter.event(
            JSONLine(event: "started").adding("name", manifest.name)
                .adding("bytes", manifest.decodedByteCount)
                .adding("encodedBytes", manifest.imageByteCount)
                .adding("resumedFromByte", byte)
                .adding("peer", guest)
        )
        reporter.note(
            "receiving     \(Self.text(of: manifest)) from \(guest)"
                + Self.beginning(byte, of: manifest.imageByteCount)
        )
    }

    private static func beginning(_ byte: Int, of byteCount: Int) -> String {
        switch byte {
        case 0: ""
        case byteCount: ", all of which is stored"
        default: ", resuming at byte \(Units.grouped(byte))"
        }
    }

    private func tell(_ image: StoredImage, isNew: Bool, _ guest: String) {
        reporter.event(
            JSONLine(event: isNew ? "stored" : "alreadyCurrent")
                .adding("path", imagePath.string)
                .adding("sha256", HexText.text(image.sha256)).adding("bytes", image.byteCount)
                .adding("peer", guest)
        )
        let what = "\(Self.text(of: image.manifest)) from \(guest)"
        reporter.note(
            isNew
                ? "verified      \(what): \(imagePath)"
                : "verified      \(what), already at \(imagePath)"
        )
    }

    private func tellEnd(_ sentence: String, _ word: String, _ name: String?, _ guest: String) {
        reporter.event(
            JSONLine(event: "ended").adding("name", name).adding("message", sentence)
                .adding("peer", guest)
        )
        let column = word.padding(to: 14)
        reporter.note("\(column)\(name.map { "\($0): " } ?? "")\(sentence) (\(guest))")
    }

    static func text(of manifest: Manifest) -> String {
        "\(manifest.name ?? "an image"), \(Units.grouped(manifest.decodedByteCount)) bytes,"
    }
}

extension String {
    /// The text, padded with spaces to a length.
    fileprivate func padding(to characterCount: Int) -> String {
        self + String(repeating: " ", count: max(0, characterCount - count))
    }
}

extension TransferError {
    /// Whether this receiver refused the image, or could not store it.
    fileprivate var isRefusal: Bool {
        switch problem {
        case .refused(.cancelled, _), .refused(.withdrawn, _), .refused(.silent, _),
            .refused(.stalled, _), .refused(.busy, _), .refused(.mostlyHeld, _):
            false
        case .refused, .refusedByDevice, .source, .store: true
        default: false
        }
    }

    /// Whether the sender goes on with another form of the image.
    fileprivate var isSwitch: Bool {
        if case .refused(.mostlyHeld, _) = problem { true } else { false }
    }

    /// The sentence for the user of a receiver, who has no command to run again.
    fileprivate func receiversSentence(at hardware: HardwareRange?) -> String {
        switch problem {
        case .refused(.wrongHardware, _):
            hardware.map { "The image is for other hardware than \($0), or states none." }
                ?? "The image states its hardware, and this receiver states none."
        case .refused(.cancelled, _):
            "The sender stopped the transfer; the stored part is kept, and the next push "
                + "resumes the transfer."
        case .silent, .refused(.silent, _):
            "The sender stopped responding; the stored part is kept, and the next push resumes "
                + "the transfer."
        case .refused(.stalled, _), .stalled:
            "The sender sent nothing new for too long; the stored part is kept, and the next "
                + "push resumes the transfer."
        case .refused(.busy, _):
            "Another transfer took the place of this one; the stored part is kept, and the sender "
                + "resumes the transfer later."
        case .store(let error) where error.code == .busy:
            "Another transfer is using the store; the sender can try again."
        case .linkLost:
            "The link to the sender ended; the stored part is kept, and the next push resumes "
                + "the transfer."
        case .cancelled:
            "This receiver was stopped; the stored part is kept, and the next push resumes the "
                + "transfer."
        case .refused(.withdrawn, _):
            "The sender withdrew the transfer, as bleota bench does."
        case .refused(.mostlyHeld, _):
            "The sender sends the uncompressed image instead, if it has it: less of it is missing "
                + "than the compressed image has."
        default: sentence
        }
    }
}
