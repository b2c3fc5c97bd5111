import Dispatch
import FleetTestSupport
import Glibc

/// `make demo-fleet`: a campaign with a bad image, which stops itself, and one with a good image,
/// in the middle of which a gateway and the server are killed.
@main
struct Demo {
    private static let bad = "1.1.0"
    private static let good = "2.0.0"

    static func main() async {
        guard TestServer.isThere else { end(1, TestServer.isMissing) }
        do {
            let stage = try await Stage()
            let signals = Signals { stage.folder.remove() }
            defer { signals.end() }
            do {
                try await play(on: stage)
                stage.folder.remove()
            } catch {
                stage.folder.remove()
                throw error
            }
        } catch {
            end(1, "the demonstration failed: \(error)")
        }
    }

    private static func end(_ code: Int32, _ sentence: String) -> Never {
        Teller.print(sentence)
        exit(code)
    }

    private static func play(on stage: Stage) async throws {
        let teller = Teller()
        teller.tell("a server, a controller, three gateways and \(Stage.deviceCount) devices start")
        teller.more("the links to the devices lose 2 % of all data")
        _ = try stage.run(["init"])
        let controller = try stage.controller()
        let devices = try stage.devices(broken: bad)
        var gateways: [String: ChildProcess] = [:]
        for name in Stage.gateways { gateways[name] = try stage.gateway(name) }
        try await eventually("all devices are known") {
            try stage.run(["devices", "--json"]).split(separator: "\n").count == Stage.deviceCount
        }
        teller.tell("the fleet knows all \(Stage.deviceCount) devices; they run \(Stage.factory)")

        let touched = try await badCampaign(on: stage, teller)
        let progress = Progress(stage, campaign: "spring", version: good, teller)
        try await goodCampaign(on: stage, teller, progress, &gateways)

        let processes = [controller, devices] + gateways.values
        for process in processes { process.terminate() }
        for process in processes where try await process.end() != 0 {
            throw ChildProcess.Failure(description: "process \(process.id) didn't end cleanly")
        }
        teller.tell("everything has ended")
        Teller.print(
            """

            devices updated to \(good)     \(progress.updatedCount) of \(Stage.deviceCount)
            touched by the bad image     \(touched)
            pushes of the good image     \(progress.pushCount)
            of these, resumed            \(progress.resumedCount)
            installed twice              \(progress.installedTwiceCount)
            time                         \(teller.seconds) s
            """
        )
    }

    /// - Returns: the number of devices that took the image.
    private static func badCampaign(on stage: Stage, _ teller: Teller) async throws -> Int {
        teller.tell("a campaign with a bad image: \(bad) doesn't start on any device")
        try await begin("winter", bad, byteCount: 32 << 10, maxFailures: "0", on: stage, teller)
        let progress = Progress(stage, campaign: "winter", version: bad, teller)
        try await eventually("the campaign is stopped") { progress.phase == "tooManyFailures" }
        let touched = progress.takers.count
        teller.tell("the campaign has stopped itself: too many failures in its first stage")
        teller.more("\(touched) devices took the image and went back to \(Stage.factory)")
        teller.more("\(Stage.deviceCount - touched) devices were never touched")
        return touched
    }

    private static func goodCampaign(
        on stage: Stage,
        _ teller: Teller,
        _ progress: Progress,
        _ gateways: inout [String: ChildProcess]
    ) async throws {
        teller.tell("a campaign with a good image, \(good)")
        try await begin("spring", good, byteCount: 192 << 10, maxFailures: "2", on: stage, teller)
        try await progress.await("the second stage is under way") {
            progress.updatedCount >= 6 && progress.middleCount(at: "roof") >= 3
        }
        gateways["roof"]?.kill()
        teller.tell("the gateway roof is killed in the middle of its pushes")
        try await Task.sleep(for: .seconds(1))
        stage.server.kill()
        teller.tell("the server is killed too; the other gateways go on with what they have")
        try await Task.sleep(for: .seconds(4))
        try await stage.server.start()
        teller.tell("the server is back")
        gateways["roof"] = try stage.gateway("roof")
        teller.tell("the gateway roof is back; its devices go on where they were")
        try await progress.await("the campaign is finished") { progress.phase == "finished" }
        teller.tell("the campaign is finished")
        for line in try stage.run(["campaign", "status", "spring"]).split(separator: "\n") {
            teller.more("\(line)")
        }
    }

    private static func begin(
        _ name: String,
        _ version: String,
        byteCount: Int,
        maxFailures: String,
        on stage: Stage,
        _ teller: Teller
    ) async throws {
        let image = try await stage.image(version: version, byteCount: byteCount)
        let commands = [
            [
                "campaign", "create", name, "--image", image, "--hardware", "lamp",
                "--allow-unsigned", "--stages", "10,50,100", "--max-failures", maxFailures,
                "--attempts", maxFailures == "0" ? "1" : "3",
            ],
            ["campaign", "start", name],
        ]
        for words in commands {
            let shown = words.map { $0 == image ? "lamp-\(version).bleota" : $0 }
            teller.command(shown)
            for line in try stage.run(words).split(separator: "\n") { teller.more("\(line)") }
        }
    }
}

/// Ends the program on SIGINT and SIGTERM, after cleaning up. The system ends the child processes.
private struct Signals {
    private let sources: [any DispatchSourceSignal]

    init(_ cleanUp: @escaping @Sendable () -> Void) {
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler {
                cleanUp()
                exit(128 + number)
            }
            source.resume()
            return source
        }
    }

    func end() { for source in sources { source.cancel() } }
}
