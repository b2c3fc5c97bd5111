/// A request to a device, other than the upload of data (``UploadChunk``).
package enum SMPRequest: Sendable, Hashable {
    /// Asks for the number and size of the device's buffers.
    case parameters
    /// Asks for the images in all slots.
    case imageState
    /// Marks the image with this hash: for a trial, or for good.
    case setState(hash: [UInt8], isForGood: Bool)
    /// Confirms the image that runs.
    case confirmRunning
    /// Erases a slot; the device chooses its spare slot if there is no number.
    case erase(slot: Int?)
    /// Asks for the sizes of all slots.
    case slotInfo
    /// Restarts the device.
    case reset(isForced: Bool)
    /// Has the device send text back.
    case echo(String)
    /// Asks for the name and mode of the bootloader.
    case bootloader
    /// Asks for facts about the application, chosen by letters, as with the options of `uname`.
    case application(format: String)

    /// The groups of commands.
    package enum Group {
        package static let system: UInt16 = 0
        package static let image: UInt16 = 1
    }

    private typealias Address = (SMPHeader.Operation, group: UInt16, command: UInt8)

    private var address: Address {
        switch self {
        case .echo: (.write, Group.system, 0)
        case .reset: (.write, Group.system, 5)
        case .parameters: (.read, Group.system, 6)
        case .application: (.read, Group.system, 7)
        case .bootloader: (.read, Group.system, 8)
        case .imageState: (.read, Group.image, 0)
        case .setState, .confirmRunning: (.write, Group.image, 0)
        case .erase: (.write, Group.image, 5)
        case .slotInfo: (.read, Group.image, 6)
        }
    }

    private var content: [CBORPair] {
        switch self {
        case .parameters, .imageState, .slotInfo, .bootloader: []
        case .setState(let hash, let isForGood):
            [CBORPair("hash", .bytes(hash)), CBORPair("confirm", .boolean(isForGood))]
        case .confirmRunning: [CBORPair("confirm", .boolean(true))]
        case .erase(let slot): slot.map { [CBORPair("slot", .integer(Int64($0)))] } ?? []
        case .reset(let isForced): isForced ? [CBORPair("force", .integer(1))] : []
        case .echo(let text): [CBORPair("d", .text(text))]
        case .application(let format): [CBORPair("format", .text(format))]
        }
    }

    /// The header of the reply to this request.
    package func expectedReply(sequence: UInt8) -> SMPHeader {
        let (operation, group, command) = address
        return SMPHeader(
            operation.reply ?? operation,
            group: group,
            command: command,
            sequence: sequence,
            contentByteCount: 0
        )
    }

    /// The encoded message.
    package func packet(sequence: UInt8) -> [UInt8] {
        var writer = CBORWriter()
        writer.write(.map(content))
        let (operation, group, command) = address
        return SMPHeader(
            operation,
            group: group,
            command: command,
            sequence: sequence,
            contentByteCount: writer.bytes.count
        ).bytes + writer.bytes
    }
}
