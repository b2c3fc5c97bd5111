import BLEOTA
import BLEOTACore

extension UpdatePhase {
    mutating func received(
        _ reply: SMPReply,
        context: inout UpdateContext,
        at now: Instant
    ) throws(SMPFailure) {
        if reply.isOfUpload { return try receivedUpload(reply, context: &context, at: now) }
        guard context.exchange.take(reply) != nil else { return }
        switch consume self {
        case .parameters:
            // If a device does not have this command, the limits that the link assumes apply.
            let told = reply.error == nil ? BufferLimits(reply) : nil
            context.limits = context.link.limits(of: told)
            self = context.ask(.imageState, .inspecting, at: now)
        case .inspecting:
            self = .inspecting
            self = try context.inspected(try reply.images, at: now)
        case .sizing:
            self = .sizing
            self = try context.sized(SlotSizes(reply), at: now)
        case .verifying:
            self = .verifying
            self = try context.verified(try reply.images, at: now)
        case .marking:
            self = .marking
            if let error = reply.error { throw .refused(error, .mark) }
            self = context.restarting(at: now)
        case .resetting:
            self = .resetting
            if let error = reply.error { throw .refused(error, .reset) }
            context.restartedAt = now
            self = .returning(isClosing: true)
        case .readingBack:
            self = .readingBack
            self = try context.readBack(try reply.images, at: now)
        case .confirming:
            self = .confirming
            if let error = reply.error { throw .refused(error, .confirm) }
            self = context.finished(.confirmed, noting: .confirmed)
        case let unchanged: self = unchanged
        }
    }

    private mutating func receivedUpload(
        _ reply: SMPReply,
        context: inout UpdateContext,
        at now: Instant
    ) throws(SMPFailure) {
        switch consume self {
        case .uploading(var uploader):
            let result = Self.event(of: reply, &uploader, at: now)
            switch result {
            case .success(.completed):
                context.add(uploader)
                context.note(.completed)
                self = context.ask(.imageState, .verifying, at: now)
            case .success(.ended):
                // The list shows whether the device has the image.
                context.add(uploader)
                self = context.ask(.imageState, .inspecting, at: now)
            default:
                self = .uploading(uploader)
                context.note(try result.get())
            }
        case let unchanged: self = unchanged
        }
    }

    private static func event(
        of reply: SMPReply,
        _ uploader: inout Uploader,
        at now: Instant
    ) -> Result<Uploader.Event, SMPFailure> {
        if let error = reply.error {
            guard error.isTransient else { return .failure(.refused(error, .upload)) }
            uploader.postponed(reply.header.sequence, at: now)
            return .success(.ignored)
        }
        guard let offset = reply.content["off"]?.integer else {
            return .failure(.notUnderstood("an upload reply without an offset"))
        }
        do throws(Uploader.Failure) {
            return .success(
                try uploader.replied(
                    to: reply.header.sequence,
                    offset: Int(clamping: offset),
                    at: now
                )
            )
        } catch {
            return .failure(.upload(error))
        }
    }
}

extension SMPReply {
    fileprivate var isOfUpload: Bool {
        header.group == SMPRequest.Group.image && header.command == UploadChunk.command
            && header.operation == .writeReply
    }

    fileprivate var images: ImageList {
        get throws(SMPFailure) {
            if let error { throw .refused(error, .images) }
            guard let list = ImageList(self) else {
                throw .notUnderstood("an image list without images")
            }
            return list
        }
    }
}

extension UpdateContext {
    fileprivate mutating func note(_ event: Uploader.Event) {
        switch event {
        case .resumed(let byteCount):
            counters.resumedFromByte = counters.resumedFromByte ?? byteCount
            notes.append(.resumed(byteCount: byteCount))
        case .restarted: notes.append(.restarted)
        case .progressed, .completed: counters.resumedFromByte = counters.resumedFromByte ?? 0
        case .ignored, .ended: break
        }
    }
}
