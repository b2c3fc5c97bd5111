import BLEOTACore
import Testing

@testable import BLEOTACore

@Suite("The sender's state tables")
struct SenderStateTableTests {
    static let states = ["opening", "streaming", "awaitingResult", "discoveringSize", "ended"]
    static let groups = [
        ["ACK of a newer epoch", "the same, nothing missing", "ACK of an older epoch"],
        ["ACK of the epoch", "the same, nothing missing any more", "late ACK", "malformed ACK"],
        [
            "BUSY", "RESULT *verified*", "the same, wrong receipt", "RESULT of a refusal",
            "RESULT *no session*",
        ],
        [
            "ECHO REPLY to a smaller frame", "ECHO REPLY to its present size", "silence limit",
            "progress limit", "application gives up",
        ],
        [
            "probe timeout", "the second in a row", "the third, peer answered",
            "the third, with older epochs alone", "no credit, probe timeout",
            "end of a timed pause",
        ],
        [
            "OPEN not answered", "POLL not answered", "pause of the probes",
            "last pause of the probes",
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
        guard let action = apply(input, to: machine, in: state) else { return nil }
        let sent = machine.drainedWords()
        if ["ignored", "none"].contains(action), sent.isEmpty, machine.stateName == state {
            return "—"
        }
        let cell = "\(action) → \(machine.stateName)"
        return sent.isEmpty ? cell : cell + ", " + sent.joined(separator: ", ")
    }

    private static func bring(_ machine: SenderMachine, to state: String, for input: String) {
        _ = machine.drain()
        switch state {
        case "opening": break
        case "streaming":
            let credit = input == "no credit, probe timeout" ? 0 : 100
            _ = machine.acknowledge(
                CoreSample.acknowledgement(
                    10,
                    epoch: 5,
                    credit: .chunks(UInt16(credit)),
                    durable: 2_400
                )
            )
        case "awaitingResult": _ = machine.acknowledge(CoreSample.acknowledgement(417, epoch: 5))
        case "discoveringSize":
            _ = machine.acknowledge(CoreSample.acknowledgement(10, epoch: 5))
            for _ in 0..<3 {
                _ = machine.drain()
                _ = machine.acknowledge(CoreSample.acknowledgement(10, epoch: 5))
                _ = machine.passDeadline()
            }
        default: _ = machine.abort()
        }
        #expect(machine.stateName == state)
    }

    /// The action's name; `nil` where the input can't come in that state.
    private static func apply(_ input: String, to machine: SenderMachine, in state: String)
        -> String?
    {
        switch input {
        case "ACK of a newer epoch":
            return name(machine.acknowledge(CoreSample.acknowledgement(3, epoch: 6)))
        case "the same, nothing missing":
            return name(machine.acknowledge(CoreSample.acknowledgement(417, epoch: 6)))
        case "ACK of an older epoch":
            return state == "opening"
                ? nil : name(machine.acknowledge(CoreSample.acknowledgement(3, epoch: 4)))
        case "ACK of the epoch":
            // In the state awaitingResult it can only repeat that nothing is missing.
            return state == "opening"
                ? nil
                : name(
                    machine.acknowledge(
                        CoreSample.acknowledgement(state == "awaitingResult" ? 417 : 14, epoch: 5)
                    )
                )
        case "the same, nothing missing any more":
            return state == "opening"
                ? nil : name(machine.acknowledge(CoreSample.acknowledgement(417, epoch: 5)))
        case "late ACK":
            return state == "opening"
                ? nil
                : name(
                    machine.acknowledge(CoreSample.acknowledgement(9, epoch: 5, credit: .chunks(2)))
                )
        case "malformed ACK":
            return name(machine.acknowledge(CoreSample.acknowledgement(418, epoch: 5)))
        case "BUSY": return name(machine.busy())
        case "RESULT *verified*": return name(machine.result(.verified))
        case "the same, wrong receipt": return name(machine.result(.verified, detail: 1))
        case "RESULT of a refusal": return name(machine.result(.noSpace))
        case "RESULT *no session*": return name(machine.result(.noSession))
        case "ECHO REPLY to a smaller frame": return name(machine.echoReply(20))
        case "ECHO REPLY to its present size": return name(machine.echoReply(244))
        case "silence limit":
            // After a frame that asks for an answer, in each state that has one.
            return state == "ended" ? nil : outwait(machine, .silent)
        case "progress limit": return state == "ended" ? nil : outwait(machine, .stalled)
        case "application gives up": return machine.abort() ? "aborted" : "ignored"
        default: return deadline(input, of: machine, in: state)
        }
    }

    private static func outwait(_ machine: SenderMachine, _ reason: Reason) -> String? {
        if reason == .silent {
            // Silence counts from a frame that asks for an answer.
            while machine.context.waitingSince == nil {
                _ = machine.passDeadline()
                _ = machine.drain()
            }
            machine.pass(.seconds(10))
        } else {
            machine.pass(.seconds(7))
        }
        return name(machine.timeout())
    }

    private static func deadline(_ input: String, of machine: SenderMachine, in state: String)
        -> String?
    {
        switch (state, input) {
        case ("streaming", "probe timeout"), ("streaming", "no credit, probe timeout"),
            ("streaming", "end of a timed pause"), ("opening", "OPEN not answered"),
            ("awaitingResult", "POLL not answered"), ("discoveringSize", "pause of the probes"):
            return name(machine.passDeadline())
        case ("streaming", "the second in a row"):
            _ = machine.passDeadline()
            _ = machine.drain()
            return name(machine.passDeadline())
        case ("streaming", "the third, peer answered"):
            for _ in 0..<2 {
                _ = machine.passDeadline()
                _ = machine.drain()
                _ = machine.acknowledge(CoreSample.acknowledgement(10, epoch: 5))
            }
            return name(machine.passDeadline())
        case ("streaming", "the third, with older epochs alone"):
            for _ in 0..<2 {
                _ = machine.passDeadline()
                _ = machine.drain()
                _ = machine.acknowledge(CoreSample.acknowledgement(10, epoch: 4, answersPoll: true))
            }
            return name(machine.passDeadline())
        case ("discoveringSize", "last pause of the probes"):
            for _ in 0..<2 {
                _ = machine.passDeadline()
                _ = machine.drain()
            }
            return name(machine.passDeadline())
        default: return nil
        }
    }

    // An outcome or a reason in the action is told by the state after it, and by other tests.

    private static func name(_ action: SenderState.AcknowledgementAction) -> String { "\(action)" }
    private static func name(_ action: SenderState.BusyAction) -> String { "\(action)" }
    private static func name(_ action: SenderState.EchoAction) -> String { "\(action)" }

    private static func name(_ action: SenderState.ResultAction) -> String {
        switch action {
        case .ended(.verified): "verified"
        case .ended(.wrongDigest): "wrongDigest"
        case .ended(.refused): "refused"
        case .ended(.aborted): "aborted"
        case .ignored, .reopened, .closedAgain: "\(action)"
        }
    }

    private static func name(_ action: SenderState.TimeoutAction) -> String {
        switch action {
        case .aborted(.silent): "silent"
        case .aborted(.stalled): "stalled"
        default: "\(action)"
        }
    }
}
