import BLEOTA

extension ServerState {
    /// Takes the store's answer to the last task, and replies to the request that caused it.
    mutating func answered(
        _ answer: ServerAnswer,
        _ context: inout ServerContext
    ) -> [ServerAction] {
        switch consume self {
        case .ready:
            self = .ready
            return []
        case .settling:
            self = .ready
            return []
        case .beginning(let header, let request, let id):
            self = .ready
            return begun(id, request, header, answer, &context)
        case .appending(let header, let byteCount):
            self = .ready
            return appended(byteCount, header, answer, &context)
        case .finishing(let header):
            self = .ready
            return finished(header, answer, &context)
        case .asking(let header, let listsImages):
            self = .ready
            return asked(header, listsImages: listsImages, answer)
        }
    }

    private mutating func begun(
        _ id: UploadID,
        _ request: UploadRequest,
        _ header: SMPHeader,
        _ answer: ServerAnswer,
        _ context: inout ServerContext
    ) -> [ServerAction] {
        context.upload = nil
        guard case .offset(let offset?) = answer else { return Self.reply(to: header, answer) }
        context.upload = id
        context.offset = offset
        if offset == id.byteCount {
            self = .finishing(header)
            return [.perform(.finish(id))]
        }
        guard offset == 0 else {
            return [.reply(ServerReply.offset(offset, isMatch: nil).packet(to: header))]
        }
        self = .appending(header, byteCount: request.data.count)
        return [.perform(.append(request.data, to: id, offset: 0))]
    }

    private mutating func appended(
        _ byteCount: Int,
        _ header: SMPHeader,
        _ answer: ServerAnswer,
        _ context: inout ServerContext
    ) -> [ServerAction] {
        guard case .offset(let offset) = answer else {
            context.upload = nil
            return Self.reply(to: header, answer)
        }
        guard let id = context.upload, let offset else {
            // Another upload has taken the place of this one.
            context.upload = nil
            return [.reply(ServerReply.offset(0, isMatch: nil).packet(to: header))]
        }
        context.offset = offset
        guard offset == id.byteCount else {
            return [.reply(ServerReply.offset(offset, isMatch: nil).packet(to: header))]
        }
        self = .finishing(header)
        return [.perform(.finish(id))]
    }

    private mutating func finished(
        _ header: SMPHeader,
        _ answer: ServerAnswer,
        _ context: inout ServerContext
    ) -> [ServerAction] {
        let id = context.upload
        context.upload = nil
        guard let id, case .finished(let isMatch) = answer else {
            return Self.reply(to: header, answer)
        }
        let match = id.isAnonymous ? nil : isMatch
        return [.reply(ServerReply.offset(id.byteCount, isMatch: match).packet(to: header))]
    }

    private mutating func asked(
        _ header: SMPHeader,
        listsImages: Bool,
        _ answer: ServerAnswer
    ) -> [ServerAction] {
        guard listsImages, answer == .done else { return Self.reply(to: header, answer) }
        self = .asking(header, listsImages: false)
        return [.perform(.slots)]
    }

    private static func reply(to header: SMPHeader, _ answer: ServerAnswer) -> [ServerAction] {
        let reply: ServerReply =
            switch answer {
            case .slots(let slots): .images(slots)
            case .done: .done
            case .failed(let error): .failed(error)
            case .offset, .finished: .failed(.badState)
            }
        return [.reply(reply.packet(to: header))]
    }
}
