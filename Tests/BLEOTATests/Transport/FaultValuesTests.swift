import Testing

@testable import BLEOTA

/// The values a fault plan is made of.
@Suite
struct FaultValuesTests {
    @Test(
        "A probability is read from a number or a percentage",
        arguments: [
            ("0", 0.0), ("1", 1.0), ("0.02", 0.02), ("2%", 0.02), ("2.5%", 0.025), ("100%", 1.0),
            ("0%", 0.0), (".5", 0.5), ("1e-05", 0.00001), ("0.0", 0.0),
        ]
    )
    func readable(_ text: String, _ value: Double) throws {
        #expect(try #require(Probability(text)).value == value)
    }

    @Test(
        "All else is not a probability",
        arguments: [
            "", "%", "2%%", "1.01", "101%", "-0.1", "-0", "+0.5", "nan", "inf", "0x0.8p0", " 0.5",
            "0,5", "half", "1e", ".", "1-1", "٣%",
        ]
    )
    func unreadable(_ text: String) {
        #expect(Probability(text) == nil)
    }

    @Test(
        "A number outside 0 to 1 is not a probability",
        arguments: [-0.001, 1.001, .nan, .infinity, -.infinity]
    )
    func outOfRange(_ value: Double) {
        #expect(Probability(value) == nil)
    }

    @Test("A probability's text reads back exactly")
    func roundTrip() throws {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<1000 {
            let value = Double.random(in: 0...1, using: &generator)
            let probability = try #require(Probability(value * value * value))
            #expect(Probability("\(probability)") == probability)
        }
        #expect("\(Probability(-0.0)!)" == "0.0")
    }

    @Test("Never and always are exact, and each decision draws one number")
    func exactness() {
        var (first, second) = (SeededGenerator(seed: 1), SeededGenerator(seed: 1))
        for _ in 0..<10_000 {
            #expect(!Probability.never.occurs(using: &first))
            #expect(Probability.always.occurs(using: &second))
        }
        #expect(first == second)
    }

    @Test("The generator gives the published SplitMix64 sequence")
    func sequence() {
        var generator = SeededGenerator(seed: 1_234_567)
        let numbers = (0..<5).map { _ in generator.next() }
        #expect(
            numbers == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973,
                9_817_491_932_198_370_423, 4_593_380_528_125_082_431,
                16_408_922_859_458_223_821,
            ]
        )
    }

    @Test("Numbers of a range cover it and stay in it")
    func ranges() {
        var generator = SeededGenerator(seed: 2)
        for range in [0...0, 1...3, -2...2, 5...12] {
            let seen = Set((0..<1000).map { _ in generator.next(in: range) })
            #expect(seen == Set(range))
        }
    }
}
