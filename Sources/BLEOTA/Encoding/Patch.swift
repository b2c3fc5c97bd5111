#if Delta
import CZstd

/// A Zstandard frame (RFC 8878) whose dictionary is the image before.
///
/// Everything is in memory, each of image, base and patch no longer than
/// ``ImageDecoder/inMemoryByteCountMax``.
enum Patch {
    /// What is shorter is no dictionary to Zstandard.
    static let baseByteCountMin = 8

    /// The patch that makes `image` of `base`, as small as Zstandard can without taking minutes.
    static func make(of image: [UInt8], from base: [UInt8]) -> [UInt8] {
        precondition(max(image.count, base.count) <= ImageDecoder.inMemoryByteCountMax)
        guard let context = ZSTD_createCCtx() else { preconditionFailure("no memory") }
        defer { ZSTD_freeCCtx(context) }
        // A window that reaches back over the whole of both, and a search that finds what is far.
        let reach = max(image.count + base.count, 1 << 10)
        let windowLog = CInt(min(Int.bitWidth - (reach - 1).leadingZeroBitCount, 27))
        set(context, ZSTD_c_compressionLevel, 19)
        set(context, ZSTD_c_windowLog, max(windowLog, 10))
        set(context, ZSTD_c_enableLongDistanceMatching, 1)
        set(context, ZSTD_c_checksumFlag, 0)
        return base.withUnsafeBytes { base in
            image.withUnsafeBytes { image in
                ZSTD_CCtx_refPrefix(context, base.baseAddress, base.count)
                let capacity = ZSTD_compressBound(image.count)
                return [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
                    count = ZSTD_compress2(
                        context,
                        buffer.baseAddress,
                        capacity,
                        image.baseAddress,
                        image.count
                    )
                    precondition(ZSTD_isError(count) == 0, "Zstandard compresses anything")
                }
            }
        }
    }

    /// Makes the image; `nil` if this is no patch, or one that makes something longer or shorter.
    static func apply(_ patch: [UInt8], to base: [UInt8], imageByteCount: Int) -> [UInt8]? {
        guard let context = ZSTD_createDCtx() else { preconditionFailure("no memory") }
        defer { ZSTD_freeDCtx(context) }
        let isOneFrame = patch.withUnsafeBytes {
            ZSTD_findFrameCompressedSize($0.baseAddress, $0.count) == $0.count
        }
        guard isOneFrame, isSingleSegment(patch), base.count >= baseByteCountMin else { return nil }
        var isRight = false
        let image = base.withUnsafeBytes { base in
            patch.withUnsafeBytes { patch in
                ZSTD_DCtx_refPrefix(context, base.baseAddress, base.count)
                return [UInt8](unsafeUninitializedCapacity: imageByteCount) { buffer, count in
                    // Writes no more than the buffer holds, whatever the patch says.
                    let madeCount = ZSTD_decompressDCtx(
                        context,
                        buffer.baseAddress,
                        imageByteCount,
                        patch.baseAddress,
                        patch.count
                    )
                    isRight = ZSTD_isError(madeCount) == 0 && madeCount == imageByteCount
                    count = isRight ? madeCount : 0
                }
            }
        }
        return isRight ? image : nil
    }

    /// Whether all of the base is in reach everywhere, and no other dictionary is wanted (RFC 8878,
    /// section 3.1.1.1.1).
    private static func isSingleSegment(_ patch: [UInt8]) -> Bool {
        let (descriptor, singleSegment, dictionaryID) = (4, UInt8(0x20), UInt8(0x03))
        return patch.count > descriptor && patch[descriptor] & singleSegment != 0
            && patch[descriptor] & dictionaryID == 0
    }

    private static func set(_ context: OpaquePointer, _ key: ZSTD_cParameter, _ value: CInt) {
        let status = ZSTD_CCtx_setParameter(context, key, value)
        precondition(ZSTD_isError(status) == 0, "Zstandard refuses \(key.rawValue) = \(value)")
    }
}
#endif
