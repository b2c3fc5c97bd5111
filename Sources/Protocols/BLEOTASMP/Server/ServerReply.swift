import BLEOTA

/// A reply from this device.
enum ServerReply: Sendable, Hashable {
    case done
    case echo(String)
    case text(key: String, String)
    case parameters(BufferLimits)
    case images([ImageSlot])
    case slotInfo(byteCountMax: Int)
    /// The offset that the device expects next and, after the last byte, whether all bytes match
    /// the hash that the client announced.
    case offset(Int, isMatch: Bool?)
    case failed(SMPError)

    /// The encoded message.
    func packet(to request: SMPHeader) -> [UInt8] {
        var writer = CBORWriter()
        writer.write(.map(content(version: request.version)))
        return SMPHeader(
            request.operation.reply ?? request.operation,
            version: request.version,
            group: request.group,
            command: request.command,
            sequence: request.sequence,
            contentByteCount: writer.bytes.count
        ).bytes + writer.bytes
    }

    private func content(version: UInt8) -> [CBORPair] {
        switch self {
        case .done: []
        case .echo(let text): [CBORPair("r", .text(text))]
        case .text(let key, let text): [CBORPair(key, .text(text))]
        case .parameters(let limits):
            [
                CBORPair("buf_size", .integer(Int64(limits.packetByteCountMax))),
                CBORPair("buf_count", .integer(Int64(limits.requestCountMax))),
            ]
        case .images(let slots):
            [
                CBORPair("images", .array(slots.map(Self.entry))),
                CBORPair("splitStatus", .integer(0)),
            ]
        case .slotInfo(let byteCountMax): Self.slotInfo(byteCountMax)
        case .offset(let offset, let isMatch):
            [CBORPair("off", .integer(Int64(offset)))]
                + (isMatch.map { [CBORPair("match", .boolean($0))] } ?? [])
        case .failed(let error): Self.failure(error, version: version)
        }
    }

    private static func failure(_ error: SMPError, version: UInt8) -> [CBORPair] {
        guard version > 0, let group = error.group else {
            return [CBORPair("rc", .integer(Int64(error.codeOfOlderVersion)))]
        }
        return [
            CBORPair(
                "err",
                .map([
                    CBORPair("group", .integer(Int64(group))),
                    CBORPair("rc", .integer(Int64(error.code))),
                ])
            )
        ]
    }

    private static func entry(_ slot: ImageSlot) -> CBORValue {
        var pairs = [
            CBORPair("image", .integer(0)),
            CBORPair("slot", .integer(Int64(slot.number))),
            CBORPair("version", .text(version(slot.version))),
        ]
        if !slot.hash.isEmpty { pairs.append(CBORPair("hash", .bytes(slot.hash))) }
        let flags = [
            ("bootable", true), ("pending", slot.isPending), ("confirmed", slot.isConfirmed),
            ("active", slot.isActive), ("permanent", slot.isPermanent),
        ]
        return .map(pairs + flags.map { CBORPair($0, .boolean($1)) })
    }

    /// Converts a version to the notation of SMP, which has a dot before the build number. SMP
    /// requires a version, so an empty one becomes `0.0.0`.
    private static func version(_ text: String) -> String {
        text.isEmpty ? "0.0.0" : String(text.map { $0 == "+" ? "." : $0 })
    }

    private static func slotInfo(_ byteCountMax: Int) -> [CBORPair] {
        let slots = (0...1).map { number in
            CBORValue.map([
                CBORPair("slot", .integer(Int64(number))),
                CBORPair("size", .integer(Int64(byteCountMax))),
            ])
        }
        let image = CBORValue.map([
            CBORPair("image", .integer(0)), CBORPair("slots", .array(slots)),
        ])
        return [CBORPair("images", .array([image]))]
    }
}
