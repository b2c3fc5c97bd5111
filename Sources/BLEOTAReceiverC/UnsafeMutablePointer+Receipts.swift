import BLEOTADevice
import BLEOTAManifest
import CBLEOTAReceiver

extension UnsafeMutablePointer where Pointee == bleota_receipts {
    /// The data that the device states, or `nil` if its algorithm is unknown.
    var statement: DeviceReceipts? {
        let algorithm = SignatureAlgorithm(
            rawValue: UInt8(exactly: pointee.algorithm) ?? 0
        )
        guard let keyByteCount = algorithm.publicKeyByteCount else { return nil }
        return DeviceReceipts(
            algorithm: algorithm,
            publicKey: UnsafeRawBufferPointer(start: pointee.public_key, count: keyByteCount),
            version: UnsafeRawBufferPointer(start: pointee.version, count: versionByteCount),
            imageSHA256: pointee.image_sha256,
            memory: UnsafeMutableRawPointer(self)
        )
    }

    /// The length of the version. A null pointer counts as an empty version. A version that is too
    /// long is truncated.
    private var versionByteCount: Int {
        guard let version = pointee.version else { return 0 }
        var count = 0
        while count < ReceiptLayout.versionByteCountMax, version[count] != 0 { count &+= 1 }
        return count
    }

    /// The maximum length of a PROOF, or `nil` if it is out of range.
    var frameByteCountMax: Int? {
        let count = pointee.control_byte_count_max
        if count == 0 { return ControlFrame.byteCountMin }
        let range = ControlFrame.byteCountMin...ReceiverControl.byteCountMax
        let limit = Int(truncatingIfNeeded: count)
        return range.contains(limit) ? limit : nil
    }

    /// The memory for a PROOF, which follows ``DeviceReceipts/memoryByteCount`` bytes.
    var room: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(
            start: UnsafeMutableRawPointer(self) + DeviceReceipts.memoryByteCount,
            count: ReceiverControl.byteCountMax
        )
    }
}
