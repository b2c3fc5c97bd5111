import DBus
import Synchronization

/// A pairing agent's object on the bus.
final class AgentObject: ExportedObject {
    /// The time limit for replies; the daemon gives up after 60 seconds.
    private static let limit = Duration.seconds(55)
    private static let openCountMax = 16

    private struct State {
        var questions: [UInt64: Question] = [:]
        var lastID: UInt64 = 0
        var onRelease: (@Sendable () -> Void)?
    }

    private struct Question {
        let wait: ConditionWait<[BusValue]?>
        let work: Task<Void, Never>
    }

    let interface = Interface.agent
    let properties: [String: BusValue] = [:]
    private let handler: any PairingHandler
    private let state = Mutex(State())

    init(_ handler: any PairingHandler) { self.handler = handler }

    /// Sets a handler that is called on the bus's thread when the daemon has released the agent.
    func whenReleased(_ handler: @escaping @Sendable () -> Void) {
        state.withLock { $0.onRelease = handler }
    }

    func perform(_ member: String, _ call: IncomingCall) -> Bool {
        switch member {
        case "Release":
            callOff()
            call.reply()
            state.withLock { $0.onRelease }?()
        case "Cancel":
            callOff()
            call.reply()
            Task { [handler] in await handler.isCalledOff() }
        default:
            let body = call.message.body
            guard let device = body.first?.objectPath else { return false }
            return ask(member, device, body.count > 1 ? body[1] : nil, call)
        }
        return true
    }

    private func ask(
        _ member: String,
        _ device: ObjectPath,
        _ argument: BusValue?,
        _ call: IncomingCall
    ) -> Bool {
        let handler = handler
        let passkey = argument?.integer.flatMap { UInt32(exactly: $0) }
            .flatMap { PairingPasskey($0) }
        switch member {
        case "RequestPinCode":
            answer(call) {
                let code = await handler.pinCode(device)
                return code.flatMap { (1...16).contains($0.utf8.count) ? [.string($0)] : nil }
            }
        case "RequestPasskey":
            answer(call) { await handler.passkey(device).map { [.uint32($0.number)] } }
        case "RequestAuthorization":
            answer(call) { await handler.authorizesPairing(device) ? [] : nil }
        case "RequestConfirmation":
            guard let passkey else { return false }
            answer(call) { await handler.confirms(passkey, device) ? [] : nil }
        case "AuthorizeService":
            guard let service = argument?.text.flatMap({ BluetoothUUID($0) }) else { return false }
            answer(call) { await handler.authorizes(service, device) ? [] : nil }
        case "DisplayPinCode":
            guard let code = argument?.text else { return false }
            answer(call) {
                await handler.show(pinCode: code, device)
                return []
            }
        case "DisplayPasskey":
            guard let passkey else { return false }
            let count = call.message.body.count > 2 ? call.message.body[2].integer ?? 0 : 0
            answer(call) {
                await handler.show(passkey, enteredCount: count, device)
                return []
            }
        default: return false
        }
        return true
    }

    /// Replies with the result of `work`, or rejects the request if the result is `nil`.
    private func answer(
        _ call: IncomingCall,
        _ work: @escaping @Sendable () async -> [BusValue]?
    ) {
        let wait = ConditionWait<[BusValue]?>()
        let id = state.withLock { state -> UInt64? in
            guard state.questions.count < Self.openCountMax else { return nil }
            state.lastID += 1
            let work = Task { wait.end(.success(await work())) }
            state.questions[state.lastID] = Question(wait: wait, work: work)
            return state.lastID
        }
        guard let id else { return call.fail("org.bluez.Error.Rejected", "Too many requests") }
        Task {
            let alarm = Task {
                try await Task.sleep(for: Self.limit)
                wait.end(.failure(.timedOut("The answer")))
            }
            let outcome = await wait.outcome()
            alarm.cancel()
            state.withLock { $0.questions.removeValue(forKey: id) }?.work.cancel()
            switch outcome {
            case .success(let body?): call.reply(body)
            case .success(nil): call.fail("org.bluez.Error.Rejected", "Refused")
            case .failure: call.fail("org.bluez.Error.Canceled", "Not answered")
            }
        }
    }

    /// Fails all pending requests with the error `Canceled`, and ignores later results of the
    /// handler.
    private func callOff() {
        let questions = state.withLock { Array($0.questions.values) }
        for question in questions {
            question.wait.end(.failure(.cancelled))
            question.work.cancel()
        }
    }
}
