package import BLEOTACore
public import BLEOTAManifest
import BLEOTAWire
package import SystemPackage

/// An error that a store reports, with advice on what to do.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error. There is one code for each store-related reason that a receiver can
    /// send.
    public enum Code: Hashable, Sendable {
        /// Another transfer or another process holds the store.
        case busy
        /// The store has no space for the image or the manifest. Nothing was erased.
        case noSpace(bytesFree: UInt64)
        /// The disk can't be read or written, or does not return the data that was written.
        case storeFailed(errno: Int32)
        /// The image or the manifest exceeds a limit.
        case tooLarge(limit: UInt64)
        /// The manifest is not the one that was announced.
        case manifestMismatch
        /// The manifest violates a rule of its format.
        case malformedManifest
        /// The manifest has a critical attribute that this release does not recognize.
        case unknownAttribute(type: UInt8)
        /// The receiver's policy refuses the image.
        case refused(ManifestRefusal)
        /// Every block is valid but the whole image is not, or decoding does not produce the
        /// image that the manifest describes. The manifest contradicts itself.
        case imageMismatch
        /// The storage location is invalid or can't be created. Thrown only by initializers.
        case cannotCreate(errno: Int32)
        /// The directory of the store was removed, replaced or unmounted while it was open. To
        /// continue, open the store again.
        case lost
    }

    /// The kind of error.
    public let code: Code
    /// One sentence that states what happened, where, and what to do.
    public let message: String

    /// Creates an error, for use by a store.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The error of the system call, if there was one.
    package var errno: Errno? {
        switch code {
        case .storeFailed(let errno), .cannotCreate(let errno): Errno(rawValue: errno)
        case .noSpace: .noSpace
        case .lost: .staleNFSFileHandle
        default: nil
        }
    }

    /// The reason to send to the peer in RESULT.
    package var reason: Reason {
        switch code {
        case .busy: .busy
        case .noSpace: .noSpace
        case .storeFailed, .cannotCreate, .lost: .storeFailed
        case .tooLarge: .tooLarge
        case .manifestMismatch: .manifestMismatch
        case .malformedManifest: .malformedManifest
        case .unknownAttribute: .unknownAttribute
        case .refused(let refusal): refusal.reason
        case .imageMismatch: .imageMismatch
        }
    }

    /// The detail to send with ``reason`` in RESULT; 0 if the registry defines none.
    package var detail: UInt64 {
        switch code {
        case .noSpace(let bytesFree): bytesFree
        case .storeFailed(let errno), .cannotCreate(let errno):
            UInt64(UInt32(bitPattern: errno))
        case .lost: UInt64(UInt32(bitPattern: Errno.staleNFSFileHandle.rawValue))
        case .tooLarge(let limit): limit
        case .unknownAttribute(let type): UInt64(type)
        case .refused(let refusal): refusal.detail
        case .busy, .manifestMismatch, .malformedManifest, .imageMismatch: 0
        }
    }

    /// The same as ``message``.
    public var description: String { message }
}

// MARK: - Messages

extension StoreError {
    /// The error of a failed system call.
    ///
    /// - Parameters:
    ///   - action: the attempted action, as in "Can't `action` PATH".
    ///   - bytesFree: returns the free space; called only if the disk is full.
    static func failed(
        _ errno: Errno,
        to action: String,
        _ path: FilePath,
        bytesFree: () -> UInt64
    ) -> StoreError {
        if errno == .noSpace || errno == Errno.diskQuotaExceeded {
            return noSpace(path, bytesFree: bytesFree())
        }
        return StoreError(
            .storeFailed(errno: errno.rawValue),
            "Can't \(action) \(path): \(errno); \(remedy(for: errno)), then start the transfer "
                + "again to resume it"
        )
    }

    private static func remedy(for errno: Errno) -> String {
        switch errno {
        case .permissionDenied, .notPermitted: "give this user write permission"
        case .readOnlyFileSystem: "remount the file system as writable"
        case .tooManyOpenFiles, .tooManyOpenFilesInSystem: "raise the limit on open files"
        default: "check the disk and the directory"
        }
    }

    static func noSpace(_ path: FilePath, bytesFree: UInt64) -> StoreError {
        StoreError(
            .noSpace(bytesFree: bytesFree),
            "No space for \(path): only \(bytesFree) bytes are free; make room on its file system, "
                + "then start the transfer again"
        )
    }

    /// There is no space for the files of a transfer. Nothing was written.
    static func noSpace(
        _ path: FilePath,
        byteCountMissing: Int,
        bytesFree: UInt64
    ) -> StoreError {
        StoreError(
            .noSpace(bytesFree: bytesFree),
            "No space for \(path): only \(bytesFree) bytes are free, and \(byteCountMissing) more "
                + "are needed; make room on its file system, then start the transfer again"
        )
    }

    /// The storage location can't be created.
    static func cannotCreate(_ path: FilePath, _ errno: Errno, remedy: String) -> StoreError {
        StoreError(
            .cannotCreate(errno: errno.rawValue),
            "Can't create \(path): \(errno); \(remedy)"
        )
    }

    static func cannotCreateStore(_ directory: FilePath, _ errno: Errno) -> StoreError {
        cannotCreate(
            directory,
            errno,
            remedy: errno == .permissionDenied
                ? "choose a directory that this user may write to"
                : "choose a directory whose parent exists and is writable"
        )
    }

    /// A directory without a marker contains something that no store makes.
    static func notAStore(_ directory: FilePath, because path: FilePath) -> StoreError {
        StoreError(
            .cannotCreate(errno: Errno.fileExists.rawValue),
            "\(directory) is not a bleota store, because it contains \(path); choose an empty "
                + "directory, or one that does not exist yet"
        )
    }

    /// The store contains a file that it did not make: one with an unknown name, or one of the
    /// wrong type under a name that the store uses.
    static func notOfTheStore(_ path: FilePath) -> StoreError {
        StoreError(
            .cannotCreate(errno: Errno.fileExists.rawValue),
            "\(path) is in a bleota store, but does not belong there; move it out of the store"
        )
    }

    /// The directory or file that the store would use belongs to another user.
    static func ofAnotherUser(_ path: FilePath, _ user: UInt32) -> StoreError {
        StoreError(
            .cannotCreate(errno: Errno.notPermitted.rawValue),
            "\(path) belongs to user \(user), who could change the images stored there; remove "
                + "it, or choose another place"
        )
    }

    static func newerStore(_ directory: FilePath, format: Int) -> StoreError {
        StoreError(
            .cannotCreate(errno: Errno.fileExists.rawValue),
            "\(directory) is a store of format \(format), which this release does not support; "
                + "update bleota, or choose another directory"
        )
    }

    static func lost(_ directory: FilePath) -> StoreError {
        StoreError(
            .lost,
            "\(directory) was removed, replaced or unmounted while it was in use; make it "
                + "available, then start again"
        )
    }

    static func heldByAnotherProcess(_ path: FilePath) -> StoreError {
        StoreError(
            .busy,
            "Another process is using \(path); wait until it ends, or choose another store"
        )
    }

    static func heldByAnotherTransfer(_ tag: TransferTag) -> StoreError {
        StoreError(
            .busy,
            "Transfer \(tag.hex) is using the store; wait until it ends, then start this transfer "
                + "again"
        )
    }

    static let heldByAnotherPeer = StoreError(
        .busy,
        "Another peer's transfer is using the store; wait until it ends, then start this transfer "
            + "again"
    )

    static func tooLarge(byteCount: Int, limit: Int) -> StoreError {
        StoreError(
            .tooLarge(limit: UInt64(limit)),
            "The image is \(byteCount) bytes long, but the limit here is \(limit); send a "
                + "smaller image, or raise the limit"
        )
    }

    static func manifestTooLarge(_ byteCount: Int, limit: Int) -> StoreError {
        StoreError(
            .tooLarge(limit: UInt64(limit)),
            "The manifest is \(byteCount) bytes long, but the manifest of the largest image "
                + "accepted here is \(limit) bytes long; send a smaller image, or raise the limit"
        )
    }

    static func manifestMismatch(_ tag: TransferTag) -> StoreError {
        StoreError(
            .manifestMismatch,
            "The manifest is not the one announced for transfer \(tag.hex); start the transfer "
                + "again"
        )
    }

    static func malformed(_ error: ManifestError) -> StoreError {
        if case .unknownAttribute(let type, let byteOffset) = error {
            return StoreError(
                .unknownAttribute(type: type.rawValue),
                "The manifest requires attribute \(type.rawValue) (at byte \(byteOffset)), which "
                    + "this release does not recognize; update this receiver"
            )
        }
        return StoreError(
            .malformedManifest,
            "The manifest is not valid at byte \(error.byteOffset) (\(error.words)); create it "
                + "again with a sender that follows the specification"
        )
    }

    static func refused(_ refusal: ManifestRefusal) -> StoreError {
        StoreError(
            .refused(refusal),
            "The policy of this receiver refuses the image (reason \(refusal.reason.rawValue)); "
                + "send an image that the policy allows"
        )
    }

    /// The security counter is unreadable when the store is opened.
    static func counterOfAnother(_ path: FilePath) -> StoreError {
        StoreError(
            .cannotCreate(errno: Errno.fileExists.rawValue),
            counterUnreadable(path).message
        )
    }

    static func counterUnreadable(_ path: FilePath) -> StoreError {
        StoreError(
            .storeFailed(errno: Errno.ioError.rawValue),
            "\(path) no longer contains the security counter; find out what changed the file "
                + "before you remove it, because older images are accepted once the file is gone"
        )
    }

    static func imageMismatch(_ manifest: Manifest) -> StoreError {
        StoreError(
            .imageMismatch,
            "Every block of transfer \(manifest.tag.hex) matches its hash, but the whole image "
                + "does not, so the manifest contradicts itself; create the manifest again and "
                + "send it"
        )
    }

    static func undecodable(_ manifest: Manifest) -> StoreError {
        StoreError(
            .imageMismatch,
            "The data of transfer \(manifest.tag.hex) does not decode to the image that its "
                + "manifest describes; create the bundle again and send it"
        )
    }

    /// The decoded image does not read back as it was written.
    static func damagedAfterDecoding(_ path: FilePath) -> StoreError {
        StoreError(
            .storeFailed(errno: Errno.ioError.rawValue),
            "\(path) does not read back as it was written; check the disk, then start the transfer "
                + "again"
        )
    }

    /// Blocks of the image do not read back as they were written.
    static func damaged(_ path: FilePath, blockCount: Int) -> StoreError {
        StoreError(
            .storeFailed(errno: Errno.ioError.rawValue),
            "\(path) does not read back as it was written (blocks: \(blockCount)); check the "
                + "disk, then start the transfer again to send only these blocks"
        )
    }
}
