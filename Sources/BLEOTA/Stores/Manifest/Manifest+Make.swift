import BLEOTAManifest
import BLEOTAWire

extension Manifest {
    /// Describes an image, reading it once from beginning to end.
    ///
    /// ```swift
    /// let manifest = try Manifest.make(imageByteCount: file.byteCount, name: "blinky.bin") {
    ///     offset, byteCount in try file.read(offset, byteCount)
    /// }
    /// ```
    ///
    /// The cost is two SHA-256 computations over the image, and memory for the manifest and one
    /// piece of the image.
    ///
    /// - Parameters:
    ///   - imageByteCount: the length of the image, 1 to 4,294,967,295.
    ///   - blockByteCount: a power of two, 256 to 65,536. It must be large enough that the manifest
    ///     is at most 32 MiB long; the default, 4,096, is large enough for any image.
    ///   - name: the name of the image, 1 to 255 bytes in UTF-8.
    ///   - version: the version of the image, 1 to 64 bytes in UTF-8.
    ///   - loadAddress: the address of the first byte in the device's memory.
    ///   - restrictions: the devices that may install the image; the name of a component is 1 to 64
    ///     bytes long in UTF-8.
    ///   - read: returns exactly the requested bytes, at most 64 KiB, or throws.
    /// - Throws: the error that `read` throws.
    package static func make<Failure: Error>(
        imageByteCount: Int,
        blockByteCount: Int = 4_096,
        name: String? = nil,
        version: String? = nil,
        loadAddress: UInt64? = nil,
        restrictions: ImageRestrictions = ImageRestrictions(),
        read: (_ byteOffset: Int, _ byteCount: Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Manifest {
        try make(
            imageByteCount: imageByteCount,
            blockByteCount: blockByteCount,
            name: name,
            version: version,
            loadAddress: loadAddress,
            restrictions: restrictions,
            encoding: nil,
            read: read
        )
    }

    /// Describes an image that is sent encoded or, if `encoding` is `nil`, unencoded. `read`
    /// returns the bytes that are sent.
    static func make<Failure: Error>(
        imageByteCount: Int,
        blockByteCount: Int,
        name: String?,
        version: String?,
        loadAddress: UInt64?,
        restrictions: ImageRestrictions,
        encoding: EncodingStatement?,
        read: (_ byteOffset: Int, _ byteCount: Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Manifest {
        precondition(imageByteCount > 0 && imageByteCount <= Int(UInt32.max))
        precondition(blockByteCount.nonzeroBitCount == 1)
        let exponent = UInt8(blockByteCount.trailingZeroBitCount)
        precondition(ManifestLayout.blockSizeExponents.contains(exponent))

        var attributes = ManifestAttributeWriter()
        if let name { attributes.append(.name, Array(name.utf8)) }
        if let version { attributes.append(.version, Array(version.utf8)) }
        if let loadAddress { attributes.append(.loadAddress, loadAddress.littleEndianBytes) }
        if let sketch = encoding?.sketch { attributes.append(.sketch, sketch) }
        attributes.append(restrictions)
        if let encoding {
            attributes.append(.encoding, encoding.value)
            if let base = encoding.base { attributes.append(.base, base) }
            if let seal = encoding.seal { attributes.append(.seal, seal) }
        }

        let hashes = try ImageHashes(imageByteCount, blockByteCount, read)
        var bytes = ManifestLayout.magicNumber.littleEndianBytes
        bytes += [ManifestLayout.supportedFormatVersion, exponent, 0, 0]
        bytes += UInt32(imageByteCount).littleEndianBytes
        bytes += UInt16(attributes.bytes.count).littleEndianBytes + [0, 0]
        bytes += hashes.image
        bytes += attributes.bytes
        bytes += hashes.blocks
        bytes += UInt16(0).littleEndianBytes
        do {
            return try Manifest(bytes: bytes)
        } catch {
            preconditionFailure("a manifest made here is not valid: \(error)")
        }
    }
}

/// Collects attributes. They must be appended in ascending order of type.
private struct ManifestAttributeWriter {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ restrictions: ImageRestrictions) {
        if let hardware = restrictions.hardware {
            let revisions = hardware.revisions
            append(
                .hardware,
                revisions.lowerBound.littleEndianBytes + revisions.upperBound.littleEndianBytes
                    + Array(hardware.name.utf8)
            )
        }
        if let component = restrictions.component { append(.component, Array(component.utf8)) }
        if let counter = restrictions.counter { append(.counter, counter.littleEndianBytes) }
        if let expiry = restrictions.expiry { append(.expiry, expiry.littleEndianBytes) }
    }

    mutating func append(_ type: ManifestAttributeType, _ value: [UInt8]) {
        precondition(type.valueByteCounts.contains(value.count))
        bytes += [type.rawValue, UInt8(value.count)] + value
    }
}

extension FixedWidthInteger {
    /// The bytes in wire order.
    var littleEndianBytes: [UInt8] { withUnsafeBytes(of: littleEndian, Array.init) }
}
