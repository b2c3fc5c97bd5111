import ArgumentParser
import BLEOTA
import BLEOTASMP

/// `bleota device reset`: restarts the device.
struct DeviceResetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Restart the device.",
        usage: "bleota device reset [--force] [--device <NAME> | --connect <TARGET>]",
        discussion: """
            Example:
              bleota device reset --device kitchen
            """
    )

    @Flag(help: "Restart even if the application on the device refuses.")
    var force = false

    @OptionGroup var target: DeviceTargetOptions

    func run() async throws {
        let force = force
        try await target.use { client, reporter in
            do throws(TransferError) {
                _ = try await client.require(.reset(isForced: force), .reset)
            } catch {
                // A device may restart before it has sent its response.
                guard case .linkLost = error.problem else { throw error }
            }
            reporter.event(JSONLine(event: "done"))
            reporter.note("restarting")
        }
    }
}
