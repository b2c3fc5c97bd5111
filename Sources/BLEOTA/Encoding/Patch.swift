#if Delta
import CZstd

/// A Zstandard frame (RFC 8878) with the base image as its dictionary.
///
/// The image, the base and the patch are all in memory, each at most
/// ``ImageDecoder/inMemoryByteCountMax`` bytes long.
enum Patch {
    /// The minimum length of a base in bytes. Zstandard does not accept a shorter dictionary.
    static let baseByteCountMin = 8

    /// The patch that turns `base` into `image`, as small as Zstandard can make it without
    /// taking minutes.
    static func make(of image: [UInt8], from base: [UInt8]) -> [UInt8] {
        precondition(max(image.count, base.count) <= ImageDecoder.inMemoryByteCountMax)
        guard let context = ZSTD_createCCtx() else { preconditionFailure("no memory") }
        defer { ZSTD_freeCCtx(context) }
        // The window covers both images, and long-distance matching finds distant matches in
        // it.
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
                    precondition(ZSTD_isError(count) == 0, "Zstandard can compress any input")
                }
            }
        }
    }

    /// Applies a patch; `nil` if it is invalid or its output is not exactly `imageByteCount`
    /// bytes long.
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
                    // Zstandard never writes past the buffer, whatever the patch contains.
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

    /// Whether the frame has a single segment, which keeps the whole base within reach, and
    /// names no dictionary (RFC 8878, section 3.1.1.1.1).
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
