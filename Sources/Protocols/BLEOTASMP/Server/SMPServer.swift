package import BLEOTA
package import BLEOTACore

/// The state machine of a device that is updated over SMP, without I/O and without a clock.
///
/// The server serves one client. Requests are answered in order. While the store is working, as
/// many requests wait as the device reports buffers for; further requests are lost, as on any
/// device.
///
/// ```swift
/// for action in server.received(piece, at: now) { … }
/// for action in server.answered(answer) { … }
/// ```
package struct SMPServer: ~Copyable {
    /// The buffers of this device. The longest request is the same as in Zephyr's examples.
    package static let limits = BufferLimits(packetByteCountMax: 2_475, requestCountMax: 4)

    private var state = ServerState.ready
    private var context: ServerContext
    private var assembler: RequestAssembler

    package init(identity: ServerIdentity, imageByteCountMax: Int) {
        context = ServerContext(
            identity: identity,
            limits: Self.limits,
            imageByteCountMax: imageByteCountMax
        )
        assembler = RequestAssembler(byteCountMax: Self.limits.packetByteCountMax)
    }

    /// The upload that this client continues; `nil` if there is none.
    package var upload: UploadID? { context.upload }

    /// Takes the next bytes from a link that splits requests into pieces.
    package mutating func received(_ piece: [UInt8], at now: Instant) -> [ServerAction] {
        handle(assembler.take(piece, at: now))
    }

    /// Takes a message from a link that carries whole messages.
    package mutating func received(whole message: [UInt8]) -> [ServerAction] {
        handle(assembler.take(whole: message))
    }

    private mutating func handle(_ arrivals: [RequestAssembler.Arrival]) -> [ServerAction] {
        let room = context.limits.requestCountMax - context.waiting.count
        context.waiting += arrivals.prefix(max(0, room))
        return proceed()
    }

    /// Takes the store's answer to the last task.
    package mutating func answered(_ answer: ServerAnswer) -> [ServerAction] {
        let actions = state.answered(answer, &context)
        return actions + proceed()
    }

    /// Answers requests until one needs the store.
    private mutating func proceed() -> [ServerAction] {
        var actions: [ServerAction] = []
        while state.isReady, !context.waiting.isEmpty {
            actions += state.handle(context.waiting.removeFirst(), &context)
        }
        return actions
    }
}
