import FleetModel
import FleetTestSupport
import SystemPackage
import Testing

@testable import FleetGateway

@Suite("What is said of the files of devices behind sockets")
struct AdvertisementProblemsTests {
    private typealias Problem = AdvertisementProblems.Problem

    @Test("A problem is told once, when enough looks one after another have found it")
    func patience() {
        var problems = AdvertisementProblems()
        for lookCount in [2, Problem.restartLookCount] {
            let problem = ["a": Problem("a is wrong", lookCount: lookCount)]
            for _ in 0..<3 {
                for _ in 1..<lookCount { #expect(problems.news(problem) == []) }
                #expect(problems.news(problem) == ["a is wrong"])
                for _ in 0..<100 { #expect(problems.news(problem) == []) }
                #expect(problems.news([:]) == [])
            }
        }
    }

    @Test("Another problem of the same file begins anew")
    func other() {
        var problems = AdvertisementProblems()
        #expect(problems.news(["a": Problem("one")]) == [])
        #expect(problems.news(["a": Problem("two")]) == [])
        #expect(problems.news(["a": Problem("two"), "b": Problem("three")]) == ["two"])
        #expect(problems.news(["a": Problem("two"), "b": Problem("three")]) == ["three"])
    }

    /// It was left out without a word.
    @Test("A device without a socket is a problem, of longer patience than a restart")
    func noSocket() throws {
        let files = try TestFolder()
        let text = "hardware lamp\nversion 1.0.0\nstrength -50\n"
        for name in ["attic.advert", "cellar.advert", "cellar.sock"] {
            _ = try files.write(text, to: name)
        }
        let (devices, wrong) = try SocketAir(folder: FilePath(files.path("."))).look()
        #expect(devices.map(\.id.text) == ["cellar"])
        #expect(wrong.keys.sorted() == ["attic.advert"])
        let problem = try #require(wrong["attic.advert"])
        let end = "/attic.advert: there is no attic.sock beside it, to which images could be pushed"
        #expect(problem.sentence.hasSuffix(end), "\(problem.sentence)")
        #expect(problem.lookCount == Problem.restartLookCount)
    }
}
