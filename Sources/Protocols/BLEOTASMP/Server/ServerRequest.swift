/// A request to this device, checked as far as that is possible without the store.
enum ServerRequest: Sendable, Hashable {
    case echo(String)
    case reset
    case parameters
    case application(format: String)
    /// `query` names one fact; without it, the name of the bootloader is asked for.
    case bootloader(query: String?)
    case imageState
    /// Without a hash, the image that runs is meant.
    case setState(hash: [UInt8]?, isForGood: Bool)
    case upload(UploadRequest)
    case erase(slot: Int)
    case slotInfo

    /// Parses the content of a request.
    ///
    /// - Throws: the error to answer with.
    init(_ header: SMPHeader, _ content: CBORValue) throws(SMPError) {
        let isWrite = header.operation == .write
        switch (header.group, header.command, isWrite) {
        case (SMPRequest.Group.system, 0, _):
            guard let text = content["d"]?.text else { throw .invalid }
            self = .echo(text)
        case (SMPRequest.Group.system, 5, true): self = .reset
        case (SMPRequest.Group.system, 6, false): self = .parameters
        case (SMPRequest.Group.system, 7, false):
            self = .application(format: content["format"]?.text ?? "s")
        case (SMPRequest.Group.system, 8, false):
            self = .bootloader(query: content["query"]?.text)
        case (SMPRequest.Group.image, 0, false): self = .imageState
        case (SMPRequest.Group.image, 0, true): self = try Self.setState(content)
        case (SMPRequest.Group.image, UploadChunk.command, true):
            self = .upload(try UploadRequest(content))
        case (SMPRequest.Group.image, 5, true):
            self = .erase(slot: content["slot"]?.integer.map { Int(clamping: $0) } ?? 1)
        case (SMPRequest.Group.image, 6, false): self = .slotInfo
        default: throw .notSupported
        }
    }

    private static func setState(_ content: CBORValue) throws(SMPError) -> ServerRequest {
        let isForGood = content["confirm"]?.boolean ?? false
        switch content["hash"] {
        case .bytes(let hash): return .setState(hash: hash, isForGood: isForGood)
        case nil, .other: break
        default: throw .invalid
        }
        guard isForGood else { throw .image(.wrongHash) }
        return .setState(hash: nil, isForGood: true)
    }
}

/// A part of an upload, with its offset.
struct UploadRequest: Sendable, Hashable {
    /// The statements about the whole file in a request with the offset 0.
    struct Announcement: Sendable, Hashable {
        let byteCount: Int
        /// `nil` if the client does not want to resume.
        let sha256: [UInt8]?
        let isUpgradeOnly: Bool
    }

    /// The image numbers that stand for this device's only image. A client that means the second
    /// slot sends 1 instead of 0.
    private static let imageNumbers: ClosedRange<Int64> = 0...1
    private static let sha256ByteCount = 32

    let offset: Int
    let data: [UInt8]
    /// Present in a request with the offset 0.
    let announcement: Announcement?

    init(_ content: CBORValue) throws(SMPError) {
        guard let offset = content["off"]?.integer, (0...Int64(UInt32.max)).contains(offset) else {
            throw .image(.noOffset)
        }
        self.offset = Int(offset)
        data = content["data"]?.bytes ?? []
        guard offset == 0 else {
            announcement = nil
            return
        }
        guard Self.imageNumbers.contains(content["image"]?.integer ?? 0) else {
            throw .image(.noFreeSlot)
        }
        guard let byteCount = content["len"]?.integer, byteCount > 0 else {
            throw .image(.noLength)
        }
        guard byteCount <= Int64(UInt32.max) else { throw .image(.tooLarge) }
        if let sha256 = content["sha"]?.bytes, sha256.count != Self.sha256ByteCount {
            throw .image(.wrongHash)
        }
        guard data.count <= byteCount else { throw .image(.overrun) }
        guard data.count >= min(Int(byteCount), UploadChunk.firstByteCountMin) else {
            throw .image(.invalidHeader)
        }
        announcement = Announcement(
            byteCount: Int(byteCount),
            sha256: content["sha"]?.bytes,
            isUpgradeOnly: content["upgrade"]?.boolean ?? false
        )
    }
}
