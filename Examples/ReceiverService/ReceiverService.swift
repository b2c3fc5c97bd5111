// Receives firmware from any number of peers for as long as the process runs, as one service among
// others. SIGTERM and Ctrl-C end it cleanly: peers are told, and what is stored stays.
//
//     swift run ReceiverService /run/device.socket /var/lib/device [release.pub]
import BLEOTA
import Glibc
import Logging
import ServiceLifecycle

// README: service
struct ReceiverService: Service {
    let receiver: FirmwareReceiver

    /// Serves peers until the group of services shuts down. No peer can end it.
    func run() async throws {
        try await cancelWhenGracefulShutdown {
            for try await event in receiver.events() {
                if case .stored(let image) = event.kind { print("stored: \(image)") }
            }
        }
    }
}
// end

@main struct Main {
    static func main() async {
        let arguments = CommandLine.arguments
        guard (3...4).contains(arguments.count) else {
            print("usage: ReceiverService SOCKET DIRECTORY [PUBLIC-KEY-FILE]")
            exit(2)
        }
        do {
            try await serve(at: arguments[1], in: arguments[2], key: arguments.dropFirst(3).first)
        } catch {
            print(error)
            exit(1)
        }
    }

    static func serve(at socket: String, in directory: String, key: String?) async throws {
        // Without signatures, anyone who reaches the socket can replace the firmware.
        let policy: AcceptancePolicy =
            if let key { .signed(by: [try VerifyingKey(contentsOf: key)]) } else { .unsigned() }
        let logger = Logger(label: "receiver")
        // README: receiver
        var receiver = FirmwareReceiver(
            at: .socket(socket),
            storingIn: try DirectoryStore(directory: directory),
            accepting: policy
        )
        receiver.logger = logger
        // end
        let group = ServiceGroup(
            services: [ReceiverService(receiver: receiver)],
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger
        )
        try await group.run()
    }
}
