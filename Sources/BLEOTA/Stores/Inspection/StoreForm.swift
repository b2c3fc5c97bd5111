import BLEOTAWire
import SystemPackage

/// What a ``DirectoryStore`` consists of, and the rule that it keeps.
///
///     bleota-store                  says that the directory is a store, and of which format
///     lock                          held by the process that uses the directory
///     incoming/TAG/…                unfinished transfers
///     images/TAG/image, manifest    verified images
///     current, previous → images/TAG
///     counter → NUMBER
///     running → SHA256.confirmed    or SHA256.onTrial
///     installing → SHA256.ATTEMPTS
///
/// TAG is 16 hexadecimal digits. A link is made beside the one that it replaces, under its name
/// with `.new` at the end (`running` with `.new-` and the number of the process), and so is the
/// marker.
///
/// **How a store knows itself.** By the marker, which is written when the store is made, in a
/// directory that was not there or was empty (a file system's own `lost+found` does not count).
/// Stores made before there were markers have none: a directory of exactly this form, with nothing
/// else in it, is taken for one and gets its marker. Everything else is refused before anything in
/// it is touched, as is a store of a newer format.
///
/// **What it may delete.** What has a name of this form, is of the right kind (a file, a directory,
/// a link that leads where the store lets it lead) and lies in the right place. Whatever else lies
/// in a store stays and is not looked at. Something of another kind under one of the store's own
/// names is found when the store is opened, which is refused.
///
/// **Links.** None is followed below the store: ``HeldDirectory``. `current` and `previous` are for
/// others to follow; the store takes the tag from them.
///
/// **Modes.** Directories have 0700 and files 0600, whatever the umask, since what was sealed lies
/// there opened. A store that others can read is closed to them when it is opened.
///
/// **Whose it is.** The directory and everything of the store in it belong to this user or to root.
/// Whoever else owned one of them could change what lies there, also after it was verified.
///
/// **What it reserves, and when.** Nothing before a manifest was judged but the few bytes that
/// arrived of it and 1 MiB. Then the file system must have as much free as the image needs, also to
/// be decoded, beside what other accepted transfers have yet to write, and a manifest that comes
/// next. The room is taken as the blocks come, 1 MiB ahead. (It is not taken at once: who announces
/// an image would take room that nobody fills.)
///
/// **Who gives way to whom.** What is verified gives way only to what is verified: an image becomes
/// current when all of it was hashed. Of unfinished transfers only such go for which another
/// manifest was accepted, because there are too many or because it has no room: ``RetentionRule``.
enum StoreForm {
    static let images: FilePath.Component = "images"
    static let incoming: FilePath.Component = "incoming"
    static let lock: FilePath.Component = "lock"
    static let current: FilePath.Component = "current"
    static let previous: FilePath.Component = "previous"
    static let counter: FilePath.Component = "counter"
    static let running: FilePath.Component = "running"
    static let installing: FilePath.Component = "installing"

    /// What the directory of a transfer, or of an image, consists of.
    static let transferNames: [FilePath.Component] = [
        PartialImage.journalName, PartialManifest.journalName, PartialManifest.dataName,
        PartialTransfer.manifestName, PartialTransfer.newName, PartialImage.encodedName,
        PartialImage.dataName,
    ]

    /// What has to be at a name in the store's directory.
    enum Place {
        case file
        case directory
        /// A link, and where it may lead.
        case link(isRight: @Sendable (FilePath) -> Bool)
    }

    /// What belongs at a name in the store's directory; `nil` where nothing of the store does.
    static func place(of name: FilePath.Component) -> Place? {
        switch name {
        case lock, StoreMarker.name, StoreMarker.newName: return .file
        case images, incoming: return .directory
        default: break
        }
        let parts = name.string.split(separator: ".", maxSplits: 1)
        guard parts.count == 1 || isNew(parts[1], of: parts[0]) else { return nil }
        return switch FilePath.Component(String(parts[0])) {
        case current, previous: .link { tag(in: $0) != nil }
        case counter: .link { UInt32($0.string) != nil }
        case running: .link { RunningRecord.image(in: $0) != nil }
        case installing: .link { InstallationRecord.attempts(in: $0) != nil }
        default: nil
        }
    }

    /// Whether this is the ending of the link that is to replace another.
    private static func isNew(_ ending: Substring, of name: Substring) -> Bool {
        guard name == running.string else { return ending == "new" }
        return ending.hasPrefix("new-") && UInt32(ending.dropFirst(4)) != nil
    }

    /// The name in `images` that a link leads to; `nil` where it leads elsewhere.
    static func tag(in target: FilePath) -> FilePath.Component? {
        let names = Array(target.components)
        guard target.isRelative, names.count == 2, names[0] == images, isTag(names[1]) else {
            return nil
        }
        return names[1]
    }

    private static let tagByteCount = 8

    /// Whether the directory of a transfer may have this name.
    static func isTag(_ name: FilePath.Component) -> Bool {
        let digits = name.string.utf8
        return digits.count == 2 * tagByteCount
            && digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
