import FuzzTargets
import Testing

/// What the fuzzers found, played again by the same interpretation.
@Suite("Inputs of the fuzzers")
struct FuzzReplayTests {
    @Test("Every kept input leaves every property standing", arguments: FuzzTarget.allCases)
    func corpus(_ target: FuzzTarget) async throws {
        let inputs = try KeptInput.all(of: target, in: "Corpus")
        #expect(!inputs.isEmpty, "there is no corpus of \(target.rawValue)")
        for input in inputs { await expectNoObjection(to: input) }
    }

    @Test("No input fails that once failed", arguments: FuzzTarget.allCases)
    func failCases(_ target: FuzzTarget) async throws {
        for input in try KeptInput.all(of: target, in: "FailCases") {
            await expectNoObjection(to: input)
        }
    }

    @Test("Kept inputs stay few and small")
    func size() throws {
        let inputs = try FuzzTarget.allCases.flatMap { try KeptInput.all(of: $0, in: "Corpus") }
        #expect(inputs.count < 500)
        #expect(inputs.reduce(0) { $0 + $1.bytes.count } < 300_000)
    }

    @Test("A few inputs of chance leave every property standing", arguments: FuzzTarget.allCases)
    func chance(_ target: FuzzTarget) async {
        for seed in 0..<UInt64(200) {
            await expectNoObjection(to: KeptInput(ofChance: seed, for: target))
        }
    }

    private func expectNoObjection(to input: KeptInput) async {
        input.log()
        let objection = await input.target.objection(to: input.bytes)
        #expect(objection == nil, "\(input.name)")
    }
}
