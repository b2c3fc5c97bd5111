import BLEOTACore
import BLEOTAHost
import Testing

@testable import BLEOTACore

@Suite("The receiver's state tables")
struct ReceiverStateTableTests {
    static let states = [
        "idle", "requesting", "lookingUp", "receiving", "judging", "verifying", "finished",
    ]
    static let groups = [
        ["OPEN of the present session", "OPEN of a new session", "OPEN of the previous session"],
        [
            "missing chunk of the present epoch", "chunk that arrived before", "other data frame",
            "echo probe",
        ],
        [
            "POLL of the present session", "POLL of another session",
            "CLOSE of the present session",
            "CLOSE *withdrawn* of the present session", "CLOSE of another session",
        ],
        ["QUERY"],
        ["application requests", "application gives up", "deadline of the state", "silence limit"],
        [
            "planned, manifest", "planned, image", "planned, too large", "alreadyCurrent",
            "published",
        ],
        [
            "stored", "last block of the image stored", "last block of the manifest stored",
            "stored, block not handed over",
            "durable",
        ],
        ["rejected", "eighth rejected in a row", "rejected, block not handed over", "refused"],
        ["manifestMismatch", "third manifestMismatch", "lookUpAgain", "third lookUpAgain"],
    ]

    //= TIME-4
    //= OPEN-3
    @Test("Every cell says what the receiver does, the state after it and what follows")
    func everyCell() throws {
        let table = try StateTable(section: "9.2")
        table.compare(states: Self.states, inputs: Self.groups.flatMap { $0 }, Self.does)
    }

    //= PROOF-1
    @Test("A CHALLENGE changes nothing in any state")
    func challenge() {
        for state in Self.states {
            let machine = ReceiverMachine()
            Self.bring(machine, to: state, .image)
            _ = machine.drain()
            _ = machine.drainTasks()
            let nonce = ChallengeNonce(low: 1, high: 2)
            for session in [ReceiverMachine.previous, ReceiverMachine.session] {
                machine.challenge(.init(session: session, offset: 0, nonce: nonce))
            }
            #expect(machine.drainedWords().isEmpty && machine.stateName == state, "\(state)")
        }
    }

    /// Brings a machine into a state, applies an input, and puts what happens into words.
    static func does(_ state: String, _ input: String) -> String? {
        let machine = ReceiverMachine()
        let object: ObjectID = input == "last block of the manifest stored" ? .manifest : .image
        bring(machine, to: state, object)
        _ = machine.drain()
        _ = machine.drainTasks()
        _ = machine.takeEnding()
        guard let action = apply(input, to: machine, in: state) else { return nil }
        let words = machine.drainedWords()
        if ["", "dropped"].contains(action), words.isEmpty, machine.stateName == state {
            return "—"
        }
        let reason = machine.takeEnding().map { name($0) } ?? action
        return (reason.isEmpty ? "" : "\(reason) → ")
            + ([machine.stateName] + words).joined(separator: ", ")
    }

    private static func bring(_ machine: ReceiverMachine, to state: String, _ object: ObjectID) {
        // A session came before, so that there is one to be late from.
        machine.open(ReceiverMachine.previous)
        machine.close(ReceiverMachine.previous)
        switch state {
        case "idle": return
        case "requesting":
            machine.request()
            return
        default: machine.open(ReceiverMachine.session)
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
        default: machine.abort()
        }
        #expect(machine.stateName == state)
    }

    private static func begin(_ object: ObjectID, _ machine: ReceiverMachine) {
        let byteCount = object == .image ? ReceiverMachine.imageByteCount : 500
        machine.answer(.planned(machine.bench.plan(object, byteCount: byteCount)))
    }

    private static func complete(_ object: ObjectID, _ machine: ReceiverMachine) {
        machine.receiveWhole(object)
        for case .write(_, let block) in machine.drainTasks() {
            machine.answer(.stored(block: block))
        }
        _ = machine.drain()
        _ = machine.drainTasks()
    }

    /// Applies an input; what became of it if that was data; `nil` where the input can't come in
    /// that state.
    private static func apply(
        _ input: String,
        to machine: ReceiverMachine,
        in state: String
    ) -> String? {
        if state == "idle", impossibleWhenIdle.contains(input) { return nil }
        switch input {
        case "OPEN of the present session": machine.open(ReceiverMachine.session)
        case "OPEN of a new session": machine.open(ReceiverMachine.other)
        case "OPEN of the previous session": machine.open(ReceiverMachine.previous)
        case "missing chunk of the present epoch":
            return state == "receiving" ? "\(machine.data(machine.chunk(0)))" : nil
        case "chunk that arrived before":
            if state != "receiving" { return nil }
            _ = machine.data(machine.chunk(0))
            return "\(machine.data(machine.chunk(0)))"
        case "other data frame": return "\(machine.data(machine.chunk(0, epoch: 99)))"
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
        // A receiver that requests is not in the session yet.
        case "POLL of the present session": machine.poll(ReceiverMachine.session)
        case "POLL of another session": machine.poll(ReceiverMachine.other)
        case "CLOSE of the present session": machine.close(ReceiverMachine.session)
        case "CLOSE *withdrawn* of the present session":
            machine.close(ReceiverMachine.session, .withdrawn)
        case "CLOSE of another session": machine.close(ReceiverMachine.other)
        // The façade answers, as it does an echo probe.
        case "QUERY": machine.query()
        case "application requests": machine.request()
        case "application gives up": machine.abort()
        case "deadline of the state":
            guard let deadline = machine.deadline else { return nil }
            if machine.stateName == "receiving" { _ = machine.data(machine.chunk(0)) }
            machine.now = machine.deadline ?? deadline
            machine.timeout()
        case "silence limit":
            machine.pass(.seconds(30))
            if state == "finished" { return nil }
            machine.timeout()
        default: answer(input, to: machine, in: state)
        }
        return ""
    }

    private static let impossibleWhenIdle = [
        "OPEN of the present session", "POLL of the present session",
        "CLOSE of the present session",
        "CLOSE *withdrawn* of the present session", "silence limit",
    ]

    private static func answer(_ input: String, to machine: ReceiverMachine, in state: String) {
        let bench = machine.bench
        let manifest = bench.plan(.manifest, byteCount: 500)
        let isReceiving = state == "receiving"
        switch input {
        case "planned, manifest": machine.answer(.planned(manifest))
        case "planned, image": machine.answer(.planned(bench.plan(.image, byteCount: 9_000)))
        case "planned, too large":
            let plan = bench.plan(.image, byteCount: 200_000, blockByteCount: 65_536)
            machine.answer(.planned(plan))
        case "alreadyCurrent": machine.answer(.alreadyCurrent(digestPrefix: 1))
        case "published": machine.answer(.published(digestPrefix: 1))
        case "stored":
            if isReceiving { handOver([0], machine) }
            machine.answer(.stored(block: 0))
        case "last block of the image stored", "last block of the manifest stored":
            guard isReceiving else { return machine.answer(.stored(block: 2)) }
            machine.receiveWhole(input == "last block of the manifest stored" ? .manifest : .image)
            let blocks = machine.drainTasks()
            for block in 0..<blocks.count - 1 { machine.answer(.stored(block: block)) }
            _ = machine.drain()
            machine.answer(.stored(block: blocks.count - 1))
        case "stored, block not handed over": machine.answer(.stored(block: 1))
        case "durable": machine.answer(.durable(byteCount: 0))
        case "rejected":
            if isReceiving { handOver([0], machine) }
            machine.answer(.rejected(block: 0))
        case "eighth rejected in a row":
            for _ in 0..<7 where isReceiving {
                handOver([0], machine)
                machine.answer(.rejected(block: 0))
            }
            if isReceiving { handOver([0], machine) }
            machine.answer(.rejected(block: 0))
        case "rejected, block not handed over": machine.answer(.rejected(block: 1))
        case "refused": machine.answer(.refused(.storeFailed, detail: 5))
        case "manifestMismatch": machine.answer(.manifestMismatch(manifest))
        case "third manifestMismatch":
            for _ in 0..<2 where state == "judging" {
                machine.answer(.manifestMismatch(manifest))
                complete(.manifest, machine)
            }
            machine.answer(.manifestMismatch(manifest))
        case "lookUpAgain": machine.answer(.lookUpAgain)
        case "third lookUpAgain":
            for _ in 0..<2 where state == "verifying" {
                machine.answer(.lookUpAgain)
                begin(.image, machine)
                complete(.image, machine)
            }
            machine.answer(.lookUpAgain)
        default: Issue.record("\(input) is no input")
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

    private static func name(_ reason: Reason) -> String {
        switch reason {
        case .verified: "verified"
        case .silent: "silent"
        case .cancelled: "cancelled"
        case .withdrawn: "withdrawn"
        case .tooLarge: "tooLarge"
        case .blockMismatch: "blockMismatch"
        case .manifestMismatch: "manifestMismatch"
        case .imageMismatch: "imageMismatch"
        default: "refused"
        }
    }
}
