import FuzzTargets
import Testing

/// What the fuzzers found, played again by the same interpretation.
@Suite("Inputs of the fuzzers")
struct FuzzReplayTests {
    @Test("Every kept input leaves every property standing", arguments: FuzzTarget.allCases)
    func corpus(_ target: FuzzTarget) throws {
        let inputs = try KeptInput.all(of: target, in: "Corpus")
        #expect(!inputs.isEmpty, "there is no corpus of \(target.rawValue)")
        inputs.forEach(expectNoObjection)
    }

    @Test("No input fails that once failed", arguments: FuzzTarget.allCases)
    func failCases(_ target: FuzzTarget) throws {
        try KeptInput.all(of: target, in: "FailCases").forEach(expectNoObjection)
    }

    @Test("Kept inputs stay few and small")
    func size() throws {
        let inputs = try FuzzTarget.allCases.flatMap { try KeptInput.all(of: $0, in: "Corpus") }
        #expect(inputs.count < 500)
        #expect(inputs.reduce(0) { $0 + $1.bytes.count } < 300_000)
    }

    @Test("A few inputs of chance leave every property standing", arguments: FuzzTarget.allCases)
    func chance(_ target: FuzzTarget) {
        for seed in 0..<UInt64(200) {
            expectNoObjection(to: KeptInput(ofChance: seed, for: target))
        }
    }

    private func expectNoObjection(to input: KeptInput) {
        input.log()
        let objection = input.bytes.withUnsafeBytes { input.target.objection(to: $0) }
        #expect(objection == nil, "\(input.name)")
    }
}
