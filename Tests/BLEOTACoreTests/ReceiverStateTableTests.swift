import BLEOTACore
import Testing

@testable import BLEOTACore

@Suite("The receiver's state tables")
struct ReceiverStateTableTests {
    static let states = [
        "idle", "requesting", "lookingUp", "receiving", "judging", "verifying", "finished",
    ]
    static let groups = [
        ["OPEN of its session", "OPEN of a new session", "OPEN of the previous session"],
        ["data of the epoch", "the same chunk again", "other data", "echo probe"],
        [
            "POLL of its session", "POLL of another", "CLOSE of its session",
            "CLOSE *withdrawn* of its session", "CLOSE of another",
        ],
        ["QUERY"],
        ["application requests", "application gives up", "its own deadline", "silence limit"],
        [
            "planned, manifest", "planned, image", "planned, too large", "alreadyCurrent",
            "published",
        ],
        [
            "stored", "the last block stored", "the manifest's last", "stored, not asked for",
            "durable",
        ],
        ["rejected", "the eighth in a row", "rejected, not asked for", "refused"],
        ["manifestMismatch", "the third manifestMismatch", "lookUpAgain", "the third lookUpAgain"],
    ]

    //= TIME-4
    //= OPEN-3
    @Test("Every cell says what the receiver does, the state after it and what follows")
    func everyCell() throws {
        let table = try StateTable(section: "9.2")
        table.compare(states: Self.states, inputs: Self.groups.flatMap { $0 }, Self.does)
    }

    /// Brings a machine into a state, applies an input, and puts what happens into words.
    static func does(_ state: String, _ input: String) -> String? {
        let machine = ReceiverMachine()
        let object: ObjectID = input == "the manifest's last" ? .manifest : .image
        bring(machine, to: state, object)
        _ = machine.drain()
        _ = machine.drainTasks()
        guard let action = apply(input, to: machine, in: state) else { return nil }
        let words = machine.drainedWords()
        if ["ignored", "none", "dropped"].contains(action), words.isEmpty,
            machine.stateName == state
        {
            return "—"
        }
        let cell = "\(action) → \(machine.stateName)"
        return words.isEmpty ? cell : cell + ", " + words.joined(separator: ", ")
    }

    private static func bring(_ machine: ReceiverMachine, to state: String, _ object: ObjectID) {
        // A session came before, so that there is one to be late from.
        _ = machine.open(ReceiverMachine.previous)
        _ = machine.close(ReceiverMachine.previous)
        switch state {
        case "idle": return
        case "requesting":
            _ = machine.request()
            return
        default: _ = machine.open(ReceiverMachine.session)
        }
        _ = machine.drainTasks()
        switch state {
        case "lookingUp": break
        case "receiving": begin(object, machine)
        case "judging":
            begin(.manifest, machine)
            complete(.manifest, machine)
        case "verifying":
            begin(.image, machine)
            complete(.image, machine)
        default: _ = machine.abort()
        }
        #expect(machine.stateName == state)
    }

    private static func begin(_ object: ObjectID, _ machine: ReceiverMachine) {
        let byteCount = object == .image ? ReceiverMachine.imageByteCount : 500
        _ = machine.answer(.planned(machine.bench.plan(object, byteCount: byteCount)))
    }

    private static func complete(_ object: ObjectID, _ machine: ReceiverMachine) {
        machine.receiveWhole(object)
        for case .write(_, let block) in machine.drainTasks() {
            _ = machine.answer(.stored(block: block))
        }
        _ = machine.drain()
        _ = machine.drainTasks()
    }

    /// The action's name; `nil` where the input can't come in that state.
    private static func apply(
        _ input: String,
        to machine: ReceiverMachine,
        in state: String
    ) -> String? {
        switch input {
        case "OPEN of its session":
            return state == "idle" ? nil : "\(machine.open(ReceiverMachine.session))"
        case "OPEN of a new session": return "\(machine.open(ReceiverMachine.other))"
        case "OPEN of the previous session": return "\(machine.open(ReceiverMachine.previous))"
        case "data of the epoch":
            return state == "receiving" ? "\(machine.data(machine.chunk(0)))" : nil
        case "the same chunk again":
            if state != "receiving" { return nil }
            _ = machine.data(machine.chunk(0))
            return "\(machine.data(machine.chunk(0)))"
        case "other data": return "\(machine.data(machine.chunk(0, epoch: 99)))"
        case "echo probe":
            // The façade answers what the state drops; the answer belongs to no state.
            let probe = CoreSample.data(
                16,
                payload: [UInt8](repeating: 1, count: 12),
                header: .echo
            )
            let action = machine.data(probe)
            machine.echo(token: 16, byteCount: 16)
            return "\(action)"
        case "POLL of its session":
            // A receiver that requests is not in the session yet.
            return state == "idle" ? nil : "\(machine.poll(ReceiverMachine.session))"
        case "POLL of another": return "\(machine.poll(ReceiverMachine.other))"
        case "CLOSE of its session":
            return state == "idle" ? nil : name(machine.close(ReceiverMachine.session))
        case "CLOSE *withdrawn* of its session":
            if state == "idle" { return nil }
            return name(machine.close(ReceiverMachine.session, .withdrawn))
        case "CLOSE of another": return name(machine.close(ReceiverMachine.other))
        case "QUERY":
            // The façade answers, as it does an echo probe.
            machine.query()
            return "told"
        case "application requests": return machine.request() ? "requested" : "ignored"
        case "application gives up": return machine.abort() ? "aborted" : "ignored"
        case "its own deadline": return ownDeadline(machine)
        case "silence limit":
            if state == "idle" { return nil }
            machine.pass(.seconds(30))
            return state == "finished" ? nil : name(machine.timeout())
        default: return answer(input, to: machine, in: state)
        }
    }

    private static func ownDeadline(_ machine: ReceiverMachine) -> String? {
        guard let deadline = machine.deadline else { return nil }
        if machine.stateName == "receiving" { _ = machine.data(machine.chunk(0)) }
        machine.now = machine.deadline ?? deadline
        return name(machine.timeout())
    }

    private static func answer(
        _ input: String,
        to machine: ReceiverMachine,
        in state: String
    ) -> String {
        let bench = machine.bench
        let manifest = bench.plan(.manifest, byteCount: 500)
        let isReceiving = state == "receiving"
        switch input {
        case "planned, manifest": return name(machine.answer(.planned(manifest)))
        case "planned, image":
            return name(machine.answer(.planned(bench.plan(.image, byteCount: 9_000))))
        case "planned, too large":
            let plan = bench.plan(.image, byteCount: 200_000, blockByteCount: 65_536)
            return name(machine.answer(.planned(plan)))
        case "alreadyCurrent": return name(machine.answer(.alreadyCurrent(digestPrefix: 1)))
        case "published": return name(machine.answer(.published(digestPrefix: 1)))
        case "stored":
            if isReceiving { handOver([0], machine) }
            return name(machine.answer(.stored(block: 0)))
        case "the last block stored", "the manifest's last":
            if isReceiving {
                machine.receiveWhole(input == "the manifest's last" ? .manifest : .image)
                let blocks = machine.drainTasks()
                for block in 0..<blocks.count - 1 { _ = machine.answer(.stored(block: block)) }
                _ = machine.drain()
                return name(machine.answer(.stored(block: blocks.count - 1)))
            }
            return name(machine.answer(.stored(block: 2)))
        case "stored, not asked for": return name(machine.answer(.stored(block: 1)))
        case "durable": return name(machine.answer(.durable(byteCount: 0)))
        case "rejected":
            if isReceiving { handOver([0], machine) }
            return name(machine.answer(.rejected(block: 0)))
        case "the eighth in a row":
            for _ in 0..<7 where isReceiving {
                handOver([0], machine)
                _ = machine.answer(.rejected(block: 0))
            }
            if isReceiving { handOver([0], machine) }
            return name(machine.answer(.rejected(block: 0)))
        case "rejected, not asked for": return name(machine.answer(.rejected(block: 1)))
        case "refused": return name(machine.answer(.refused(.storeFailed, detail: 5)))
        case "manifestMismatch": return name(machine.answer(.manifestMismatch(manifest)))
        case "the third manifestMismatch":
            for _ in 0..<2 where state == "judging" {
                _ = machine.answer(.manifestMismatch(manifest))
                complete(.manifest, machine)
            }
            return name(machine.answer(.manifestMismatch(manifest)))
        case "lookUpAgain": return name(machine.answer(.lookUpAgain))
        case "the third lookUpAgain":
            for _ in 0..<2 where state == "verifying" {
                _ = machine.answer(.lookUpAgain)
                begin(.image, machine)
                complete(.image, machine)
            }
            return name(machine.answer(.lookUpAgain))
        default:
            Issue.record("\(input) is no input")
            return ""
        }
    }

    /// Receives the chunks of blocks, hands them over and drains what that led to.
    private static func handOver(_ blocks: [Int], _ machine: ReceiverMachine) {
        for block in blocks {
            for index in UInt32(block * 4_096 / 240)...UInt32((block + 1) * 4_096 / 240) {
                _ = machine.data(machine.chunk(index))
            }
        }
        _ = machine.drain()
        _ = machine.drainTasks()
    }

    private static func name(_ action: Receiver.CloseAction) -> String {
        if case .ended = action { "ended" } else { "ignored" }
    }

    private static func name(_ action: Receiver.TimeoutAction) -> String {
        switch action {
        case .ended(.silent): "silent"
        case .ended: "ended"
        case .none: "none"
        }
    }

    private static func name(_ action: Receiver.AnswerAction) -> String {
        if case .finished(let reason) = action {
            switch reason {
            case .verified: return "verified"
            case .tooLarge: return "tooLarge"
            case .blockMismatch: return "blockMismatch"
            case .manifestMismatch: return "manifestMismatch"
            case .imageMismatch: return "imageMismatch"
            default: return "refused"
            }
        }
        return "\(action)"
    }
}
