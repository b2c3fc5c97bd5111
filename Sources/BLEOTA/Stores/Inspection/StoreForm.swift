import BLEOTAWire
import SystemPackage

/// The layout of a ``DirectoryStore``, and the rules that the store follows.
///
/// ```
/// bleota-store                  marks the directory as a store, and gives its format
/// lock                          locked by the process that uses the directory
/// incoming/TAG/…                unfinished transfers
/// images/TAG/image, manifest    verified images
/// current, previous → images/TAG
/// counter → NUMBER
/// running → SHA256.confirmed    or SHA256.onTrial
/// installing → SHA256.ATTEMPTS
/// uploads/TAG/…                 unfinished uploads; here TAG is the start of a SHA-256
/// staged → TAG.SHA256.LENGTH.MARK   see ``StagedImage``
/// ```
///
/// TAG is 16 hexadecimal digits. A link that replaces another is first created beside it, under the
/// same name with `.new` at the end (for `running`, with `.new-` and the process ID). The marker is
/// replaced in the same way.
///
/// **Recognizing a store.** A store has a marker. The marker is written when the store is created,
/// in a directory that did not exist or was empty (a file system's own `lost+found` does not
/// count). Stores created before markers were introduced have none: a directory of exactly this
/// form, with nothing else in it, is treated as a store and gets a marker. Any other directory is
/// refused before anything in it is touched, and so is a store of a newer format.
///
/// **Deleting.** The store deletes an entry only if the entry has a name of this form, is of the
/// right kind (a file, a directory, or a link to an allowed target) and is in the right place. All
/// other entries stay and are not examined. If an entry with one of the store's names is of another
/// kind, the store can't be opened.
///
/// **Links.** The store follows no link below its directory (see ``HeldDirectory``). `current` and
/// `previous` are for other programs to follow; the store only reads the tag in their targets.
///
/// **Modes.** Directories have mode 0700 and files 0600, regardless of the umask, because images
/// that arrived sealed are stored decrypted. If other users have access to a store, opening it
/// takes their access away.
///
/// **Ownership.** The directory, and every entry of the store in it, must belong to this user or to
/// root. Any other owner could change the content, even after it has been verified.
///
/// **Reserving space.** Until its manifest is judged, a transfer takes no more than the few bytes
/// of the manifest that have arrived, and 1 MiB. After that, the file system must have enough free
/// space for the image, including its decoded form, for the bytes that other accepted transfers
/// have yet to write, and for one more manifest. The space is reserved as the blocks arrive, 1 MiB
/// ahead. (It is not all reserved at once, because anyone who announces an image could then reserve
/// space that is never used.)
///
/// **Giving way.** A verified image gives way only to another verified image: an image becomes
/// current only after all of it has been hashed. An unfinished transfer with an accepted manifest
/// gives way only to another transfer with an accepted manifest, if there are too many transfers or
/// too little space: see ``RetentionRule``.
enum StoreForm {
    static let images: FilePath.Component = "images"
    static let incoming: FilePath.Component = "incoming"
    static let lock: FilePath.Component = "lock"
    static let current: FilePath.Component = "current"
    static let previous: FilePath.Component = "previous"
    static let counter: FilePath.Component = "counter"
    static let running: FilePath.Component = "running"
    static let installing: FilePath.Component = "installing"
    static let uploads: FilePath.Component = "uploads"
    static let staged: FilePath.Component = "staged"

    /// The names in the directory of a transfer, of an image or of an upload.
    static let transferNames: [FilePath.Component] = [
        PartialImage.journalName, PartialManifest.journalName, PartialManifest.dataName,
        PartialTransfer.manifestName, PartialTransfer.newName, PartialImage.encodedName,
        PartialImage.dataName, PartialUpload.journalName, PartialUpload.dataName,
    ]

    /// The kind of entry that a name in the store's directory requires.
    enum Place {
        case file
        case directory
        /// A link; `isRight` checks its target.
        case link(isRight: @Sendable (FilePath) -> Bool)
    }

    /// The kind of entry that belongs at a name in the store's directory; `nil` if the name is not
    /// one of the store's.
    static func place(of name: FilePath.Component) -> Place? {
        switch name {
        case lock, StoreMarker.name, StoreMarker.newName: return .file
        case images, incoming, uploads: return .directory
        default: break
        }
        let parts = name.string.split(separator: ".", maxSplits: 1)
        guard parts.count == 1 || isNew(parts[1], of: parts[0]) else { return nil }
        return switch FilePath.Component(String(parts[0])) {
        case current, previous: .link { tag(in: $0) != nil }
        case counter: .link { UInt32($0.string) != nil }
        case running: .link { RunningRecord.image(in: $0) != nil }
        case staged: .link { StagedImage(target: $0) != nil }
        case installing: .link { InstallationRecord.attempts(in: $0) != nil }
        default: nil
        }
    }

    /// Whether this is the suffix of a link that is to replace another.
    private static func isNew(_ ending: Substring, of name: Substring) -> Bool {
        guard name == running.string else { return ending == "new" }
        return ending.hasPrefix("new-") && UInt32(ending.dropFirst(4)) != nil
    }

    /// The name in `images` that a link points to; `nil` if the link points elsewhere.
    static func tag(in target: FilePath) -> FilePath.Component? {
        let names = Array(target.components)
        guard target.isRelative, names.count == 2, names[0] == images, isTag(names[1]) else {
            return nil
        }
        return names[1]
    }

    private static let tagByteCount = 8

    /// Whether a transfer's directory may have this name.
    static func isTag(_ name: FilePath.Component) -> Bool {
        let digits = name.string.utf8
        return digits.count == 2 * tagByteCount
            && digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
