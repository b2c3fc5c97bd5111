import BLEOTACore
import Testing

@testable import BLEOTACore

@Suite("The sender's state tables")
struct SenderStateTableTests {
    static let states = ["opening", "streaming", "awaitingResult", "discoveringSize", "ended"]
    static let groups = [
        ["ACK of a newer epoch", "ACK of a newer epoch, nothing missing", "ACK of an older epoch"],
        [
            "ACK of the present epoch", "ACK of the present epoch, nothing missing", "late ACK",
            "malformed ACK",
        ],
        [
            "BUSY", "RESULT *verified*", "RESULT *verified*, wrong receipt",
            "RESULT with another reason",
            "RESULT *no session*",
        ],
        [
            "ECHO REPLY to a shorter probe", "ECHO REPLY to the present length", "silence limit",
            "progress limit", "application gives up",
        ],
        [
            "probe timeout", "second probe timeout in a row",
            "third probe timeout in a row, peer answered",
            "third probe timeout in a row, answers of older epochs alone",
            "probe timeout without credit",
            "end of a timed pause",
        ],
        [
            "OPEN not answered", "POLL not answered", "pause after a round of echo probes",
            "pause after the last round of echo probes",
        ],
    ]

    //= TIME-4
    //= OPEN-1
    @Test("Every cell says what the sender does, the state after it and what it sends next")
    func everyCell() throws {
        let table = try StateTable(section: "9.1")
        table.compare(
            states: Self.states,
            inputs: Self.groups.flatMap { $0 },
            Self.does
        )
    }

    /// Brings a machine into a state, applies an input, and puts what happens into words.
    static func does(_ state: String, _ input: String) -> String? {
        var options = SenderOptions()
        options.window = .fixed(chunkCount: 8)
        if input == "end of a timed pause", state == "streaming" { options.window = .fieldRule }
        if input == "progress limit" { options.progressLimit = .seconds(6) }
        let machine = SenderMachine(options: options)
        bring(machine, to: state, for: input)
        _ = machine.drain()
        let isEnded = machine.outcome != nil
        guard apply(input, to: machine, in: state) else { return nil }
        let sent = machine.drainedWords()
        if sent.isEmpty, machine.stateName == state { return "—" }
        let reason = isEnded ? nil : machine.outcome.map { "\(name($0)) → " }
        return (reason ?? "") + ([machine.stateName] + sent).joined(separator: ", ")
    }

    private static func bring(_ machine: SenderMachine, to state: String, for input: String) {
        _ = machine.drain()
        switch state {
        case "opening": break
        case "streaming":
            let credit = input == "probe timeout without credit" ? 0 : 100
            machine.acknowledge(
                CoreSample.acknowledgement(
                    10,
                    epoch: 5,
                    credit: .chunks(UInt16(credit)),
                    durable: 2_400
                )
            )
        case "awaitingResult": machine.acknowledge(CoreSample.acknowledgement(417, epoch: 5))
        case "discoveringSize":
            machine.acknowledge(CoreSample.acknowledgement(10, epoch: 5))
            for _ in 0..<3 {
                _ = machine.drain()
                machine.acknowledge(CoreSample.acknowledgement(10, epoch: 5))
                machine.passDeadline()
            }
        default: machine.abort()
        }
        #expect(machine.stateName == state)
    }

    /// Applies an input; false where the input can't come in that state.
    private static func apply(
        _ input: String,
        to machine: SenderMachine,
        in state: String
    ) -> Bool {
        if state == "opening", ofThatEpoch.contains(input) { return false }
        switch input {
        case "ACK of a newer epoch": machine.acknowledge(CoreSample.acknowledgement(3, epoch: 6))
        case "ACK of a newer epoch, nothing missing":
            machine.acknowledge(CoreSample.acknowledgement(417, epoch: 6))
        case "ACK of an older epoch":
            machine.acknowledge(CoreSample.acknowledgement(3, epoch: 4))
        case "ACK of the present epoch":
            // In the state awaitingResult it can only repeat that nothing is missing.
            let cumulative: UInt32 = state == "awaitingResult" ? 417 : 14
            machine.acknowledge(CoreSample.acknowledgement(cumulative, epoch: 5))
        case "ACK of the present epoch, nothing missing":
            machine.acknowledge(CoreSample.acknowledgement(417, epoch: 5))
        case "late ACK":
            machine.acknowledge(CoreSample.acknowledgement(9, epoch: 5, credit: .chunks(2)))
        case "malformed ACK": machine.acknowledge(CoreSample.acknowledgement(418, epoch: 5))
        case "BUSY": machine.busy()
        case "RESULT *verified*": machine.result(.verified)
        case "RESULT *verified*, wrong receipt": machine.result(.verified, detail: 1)
        case "RESULT with another reason": machine.result(.noSpace)
        case "RESULT *no session*": machine.result(.noSession)
        case "ECHO REPLY to a shorter probe": machine.echoReply(20)
        case "ECHO REPLY to the present length": machine.echoReply(244)
        // After a frame that asks for an answer, in each state that has one.
        case "silence limit": return state != "ended" && outwait(machine, .silent)
        case "progress limit": return state != "ended" && outwait(machine, .stalled)
        case "application gives up": machine.abort()
        default: return deadline(input, of: machine, in: state)
        }
        return true
    }

    /// What can't come before the first ACK.
    private static let ofThatEpoch = [
        "ACK of an older epoch", "ACK of the present epoch",
        "ACK of the present epoch, nothing missing",
        "late ACK",
    ]

    private static func outwait(_ machine: SenderMachine, _ reason: Reason) -> Bool {
        if reason == .silent {
            // Silence counts from a frame that asks for an answer.
            while machine.context.waitingSince == nil {
                machine.passDeadline()
                _ = machine.drain()
            }
            machine.pass(.seconds(10))
        } else {
            machine.pass(.seconds(7))
        }
        machine.timeout()
        return true
    }

    private static func deadline(
        _ input: String,
        of machine: SenderMachine,
        in state: String
    ) -> Bool {
        switch (state, input) {
        case ("streaming", "probe timeout"), ("streaming", "probe timeout without credit"),
            ("streaming", "end of a timed pause"), ("opening", "OPEN not answered"),
            ("awaitingResult", "POLL not answered"),
            ("discoveringSize", "pause after a round of echo probes"):
            break
        case ("streaming", "second probe timeout in a row"):
            machine.passDeadline()
            _ = machine.drain()
        case ("streaming", "third probe timeout in a row, peer answered"):
            passTwoDeadlines(machine, CoreSample.acknowledgement(10, epoch: 5))
        case ("streaming", "third probe timeout in a row, answers of older epochs alone"):
            passTwoDeadlines(
                machine,
                CoreSample.acknowledgement(10, epoch: 4, answersPoll: true)
            )
        case ("discoveringSize", "pause after the last round of echo probes"):
            passTwoDeadlines(machine, nil)
        default: return false
        }
        machine.passDeadline()
        return true
    }

    private static func passTwoDeadlines(_ machine: SenderMachine, _ answer: Acknowledgement?) {
        for _ in 0..<2 {
            machine.passDeadline()
            _ = machine.drain()
            if let answer { machine.acknowledge(answer) }
        }
    }

    private static func name(_ outcome: SenderOutcome) -> String {
        switch outcome {
        case .verified: "verified"
        case .wrongDigest: "wrongDigest"
        case .refused: "refused"
        case .aborted(.silent): "silent"
        case .aborted(.stalled): "stalled"
        case .aborted(.malformedAccount): "malformedAccount"
        case .aborted: "cancelled"
        }
    }
}
