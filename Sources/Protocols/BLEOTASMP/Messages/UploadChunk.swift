/// One request of an upload: a part of the image, with its offset.
package struct UploadChunk: Sendable, Hashable {
    /// The statements of an upload's first request about the whole image.
    package struct Announcement: Sendable, Hashable {
        /// The length of the image in bytes.
        package let imageByteCount: Int
        /// The SHA-256 of the uploaded file, by which the device recognizes an upload that it has
        /// begun.
        package let sha256: [UInt8]
        /// The number of the image on a device with several images; left out if it is 0.
        package let imageNumber: Int
        /// Whether the device is to refuse an image that is not newer; left out if false.
        package let isUpgradeOnly: Bool

        package init(
            imageByteCount: Int,
            sha256: [UInt8],
            imageNumber: Int = 0,
            isUpgradeOnly: Bool = false
        ) {
            self.imageByteCount = imageByteCount
            self.sha256 = sha256
            self.imageNumber = imageNumber
            self.isUpgradeOnly = isUpgradeOnly
        }
    }

    /// The command of the image group.
    static let command: UInt8 = 1
    /// The minimum number of data bytes in the first request, enough for the header of an image.
    static let firstByteCountMin = 32
    /// In each request but the last, the length of the data is a multiple of this number, as flash
    /// requires.
    static let alignmentByteCount = 8

    package let offset: Int
    package let byteCount: Int
    /// Present in a request with the offset 0.
    package let announcement: Announcement?

    package var end: Int { offset + byteCount }

    /// The encoded message.
    ///
    /// - Parameter data: the bytes of the image at the chunk's offset.
    package func packet(sequence: UInt8, data: [UInt8]) -> [UInt8] {
        precondition(data.count == byteCount, "the data must be that of the chunk")
        var writer = CBORWriter(reserving: SMPHeader.byteCount + data.count + 96)
        writer.writeMap(count: pairs.count + 1)
        for pair in pairs {
            writer.write(pair.key)
            writer.write(pair.value)
        }
        writer.write(text: "data")
        writer.write(bytes: data[...])
        return SMPHeader(
            .write,
            group: SMPRequest.Group.image,
            command: Self.command,
            sequence: sequence,
            contentByteCount: writer.bytes.count
        ).bytes + writer.bytes
    }

    /// Everything but the data.
    private var pairs: [CBORPair] {
        var pairs: [CBORPair] = []
        if let announcement {
            if announcement.imageNumber != 0 {
                pairs.append(CBORPair("image", .integer(Int64(announcement.imageNumber))))
            }
            pairs.append(CBORPair("len", .integer(Int64(announcement.imageByteCount))))
        }
        pairs.append(CBORPair("off", .integer(Int64(offset))))
        if let announcement {
            pairs.append(CBORPair("sha", .bytes(announcement.sha256)))
            if announcement.isUpgradeOnly { pairs.append(CBORPair("upgrade", .boolean(true))) }
        }
        return pairs
    }

    /// The largest chunk at this offset whose message has at most `packetByteCountMax` bytes.
    ///
    /// - Returns: `nil` if a message of this length can't hold the minimum data of a chunk.
    static func largest(
        at offset: Int,
        of announcement: Announcement,
        packetByteCountMax: Int
    ) -> UploadChunk? {
        let isFirst = offset == 0
        let left = announcement.imageByteCount - offset
        let empty = UploadChunk(
            offset: offset,
            byteCount: 0,
            announcement: isFirst ? announcement : nil
        )
        // The length of the data takes up to 2 bytes more to encode than that of an empty string.
        let overhead = empty.packet(sequence: 0, data: []).count + 2
        let room = packetByteCountMax - overhead
        let byteCount = room >= left ? left : room - room % alignmentByteCount
        let byteCountMin = min(left, isFirst ? firstByteCountMin : alignmentByteCount)
        guard byteCount >= byteCountMin, byteCount > 0 else { return nil }
        return UploadChunk(
            offset: offset,
            byteCount: byteCount,
            announcement: empty.announcement
        )
    }
}
