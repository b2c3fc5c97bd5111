import FleetStore
import Glibc
import NATS

/// `ConsoleFleet SERVER`: fills the store of a fleet, and then does what each line of its input
/// says: `beat` or `move COUNT`. It answers each line, also the first thing that it does.
@main
enum ConsoleFleet {
    static func main() async throws {
        guard let address = CommandLine.arguments.dropFirst().first.flatMap({ ServerAddress($0) })
        else { return print("which server?") }
        let connection = try await NATSConnection.open(ConnectionOptions(servers: [address]))
        var player = Player(try await FleetStore.open(on: connection))
        try await player.fill()
        print("filled")
        fflush(nil)
        while let line = readLine() {
            let words = line.split(separator: " ")
            switch words.first {
            case "beat": try await player.beat()
            case "move": try await player.move(words.dropFirst().first.flatMap { Int($0) } ?? 1)
            default: return print("no such thing: \(line)")
            }
            print("done")
            fflush(nil)
        }
    }
}
