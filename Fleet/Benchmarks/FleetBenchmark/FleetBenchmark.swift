import FleetModel
import FleetTestSupport
import Glibc
import NATS

/// Measures what a fleet of a thousand to a million devices costs its controller.
///
///     FleetBenchmark 1000 10000 100000 1000000
///
/// For each number it starts a server with an empty store, fills it, and starts controllers and
/// gateways as processes of their own, which are this program again. Gateways push nothing: they
/// answer each order after a while. It prints a row of a table for each number.
@main
enum FleetBenchmark {
    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        switch words.first {
        case "controller": try await ControllerRole.run(at: try address(words[1]))
        case "gateways":
            try await GatewaysRole(
                numbers: Int(words[2])!..<Int(words[3])!,
                hold: .milliseconds(Int(words[4])!),
                sightingsPerSecond: Int(words[5])!,
                deviceCount: Int(words[6])!
            ).run(at: try address(words[1]))
        default: try await measure(words.isEmpty ? ["1000", "10000", "100000"] : words)
        }
    }

    /// Prints a line, which is out when this returns.
    static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(STDOUT_FILENO, bytes, bytes.count)
    }

    static func address(_ text: String) throws -> ServerAddress {
        guard let address = ServerAddress(text) else {
            throw ChildProcess.Failure(description: "no server: \(text)")
        }
        return address
    }

    private static func measure(_ words: [String]) async throws {
        guard TestServer.isThere else {
            throw ChildProcess.Failure(description: TestServer.isMissing)
        }
        say(Result.head)
        for word in words {
            guard let count = Int(word), DeviceCount(count) != nil else {
                throw ChildProcess.Failure(description: "no number of devices: \(word)")
            }
            say(try await Trial(deviceCount: count).run().row)
        }
    }
}
