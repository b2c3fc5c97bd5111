package import FleetModel
package import FleetStore

package import struct SystemPackage.Errno
package import struct SystemPackage.FilePath

/// Why a gateway doesn't have an image.
package enum ImageCacheError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The folder of the cache, or a file in it, can't be used.
    case disk(FilePath, Errno)
    /// Another process uses the folder.
    case inUse(FilePath)
    /// The image is larger than the cache may be, beside the images that are being pushed.
    case noRoom(byteCount: UInt64, byteCountMax: UInt64)
    /// The store has other bytes under this digest.
    case wrongBytes(Digest)
    case store(FleetStoreError)
    /// The image is stored as it should be, but the library can't send it.
    case unusable(String)
    /// The task that waited for the image was cancelled.
    case stopped

    package var description: String {
        switch self {
        case .disk(let path, .noSpace): "there is no space left on the disk of \(path)"
        case .disk(let path, let error): "the gateway can't use \(path): \(error)"
        case .inUse(let folder): "another process uses the cache \(folder)"
        case .noRoom(let byteCount, let limit):
            "the image's \(byteCount) bytes have no place in the gateway's cache of \(limit)"
        case .wrongBytes: "the image in the store does not match its digest"
        case .store(let error): error.description
        case .unusable(let why): why
        case .stopped: "stopped"
        }
    }
}
