import BLEOTA

extension ServerState {
    var isReady: Bool {
        switch self {
        case .ready: true
        default: false
        }
    }

    /// Begins to answer a request. Messages that are not requests are ignored.
    mutating func handle(
        _ arrival: RequestAssembler.Arrival,
        _ context: inout ServerContext
    ) -> [ServerAction] {
        switch arrival {
        case .tooLong(let header):
            guard header.operation.reply != nil else { return [] }
            return Self.failed(header, .messageTooLarge)
        case .request(let message):
            guard let header = SMPHeader(message), header.operation.reply != nil else { return [] }
            do throws(SMPError) {
                let request = try Self.request(header, message)
                return handle(request, header, &context)
            } catch {
                return Self.failed(header, error)
            }
        }
    }

    private static func request(
        _ header: SMPHeader,
        _ message: [UInt8]
    ) throws(SMPError) -> ServerRequest {
        let content: CBORValue
        if header.contentByteCount == 0 {
            content = .map([])
        } else {
            do throws(CBORReader.Malformed) {
                content = try CBORReader.read(message[SMPHeader.byteCount...])
            } catch {
                throw .invalid
            }
        }
        guard case .map = content else { throw .invalid }
        return try ServerRequest(header, content)
    }

    private static func failed(_ header: SMPHeader, _ error: SMPError) -> [ServerAction] {
        [.reply(ServerReply.failed(error).packet(to: header))]
    }

    private mutating func handle(
        _ request: ServerRequest,
        _ header: SMPHeader,
        _ context: inout ServerContext
    ) -> [ServerAction] {
        func reply(_ reply: ServerReply) -> [ServerAction] { [.reply(reply.packet(to: header))] }
        switch request {
        case .echo(let text): return reply(.echo(text))
        case .parameters: return reply(.parameters(context.limits))
        case .slotInfo: return reply(.slotInfo(byteCountMax: context.imageByteCountMax))
        case .application(let format):
            guard let text = context.identity.text(format: format) else {
                return Self.failed(header, .invalid)
            }
            return reply(.text(key: "output", text))
        case .bootloader(let query):
            guard query == nil else { return Self.failed(header, .noAnswer) }
            return reply(.text(key: "bootloader", context.identity.bootloader))
        case .reset:
            self = .settling
            return reply(.done) + [.perform(.restart)]
        case .imageState: return ask(.slots, header)
        case .setState(let hash?, let isForGood):
            return ask(.mark(hash: hash, isForGood: isForGood), header, listsImages: true)
        case .setState(nil, _): return ask(.confirmRunning, header, listsImages: true)
        case .erase(let slot): return ask(.erase(slot: slot), header)
        case .upload(let request): return upload(request, header, &context)
        }
    }

    private mutating func ask(
        _ task: ServerTask,
        _ header: SMPHeader,
        listsImages: Bool = false
    ) -> [ServerAction] {
        self = .asking(header, listsImages: listsImages)
        return [.perform(task)]
    }

    private mutating func upload(
        _ request: UploadRequest,
        _ header: SMPHeader,
        _ context: inout ServerContext
    ) -> [ServerAction] {
        if let announcement = request.announcement {
            guard announcement.byteCount <= context.uploadByteCountMax else {
                return Self.failed(header, .image(.tooLarge))
            }
            let byteCount = announcement.byteCount
            let id =
                announcement.sha256.map { UploadID(sha256: $0, byteCount: byteCount) }
                ?? .anonymous(byteCount: byteCount)
            self = .beginning(header, request, id)
            return [
                .perform(
                    .begin(
                        id,
                        beginning: request.data,
                        isUpgradeOnly: announcement.isUpgradeOnly
                    )
                )
            ]
        }
        guard let id = context.upload else {
            return [.reply(ServerReply.offset(0, isMatch: nil).packet(to: header))]
        }
        // A client that repeats a part, or is ahead, learns the offset that is expected.
        guard request.offset == context.offset, !request.data.isEmpty else {
            let offset = ServerReply.offset(context.offset, isMatch: nil)
            return [.reply(offset.packet(to: header))]
        }
        guard request.data.count <= id.byteCount - context.offset else {
            context.upload = nil
            self = .settling
            return Self.failed(header, .image(.overrun)) + [.perform(.abandon(id))]
        }
        self = .appending(header, byteCount: request.data.count)
        return [.perform(.append(request.data, to: id, offset: context.offset))]
    }
}
