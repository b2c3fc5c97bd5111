import ArgumentParser
import BLEOTA
import BLEOTASMP

/// `bleota device erase`: erases a slot.
struct DeviceEraseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Erase the image in a spare slot.",
        usage: "bleota device erase [--slot <N>] [--device <NAME> | --connect <TARGET>]",
        discussion: """
            Example:
              bleota device erase --device kitchen
            """
    )

    @Option(
        help: ArgumentHelp("Number of the slot; chosen by the device if left out.", valueName: "N")
    )
    var slot: Int?

    @Flag(help: "Erase even a pending image, or the one that the device would return to.")
    var force = false

    @OptionGroup var target: DeviceTargetOptions

    func validate() throws {
        if let slot, !(0...255).contains(slot) {
            throw ValidationError("--slot must be 0 to 255, not \(slot)")
        }
    }

    func run() async throws {
        let (slot, force) = (slot, force)
        try await target.use { client, reporter in
            if !force { try Self.protectTrial(try await client.images()) }
            _ = try await client.require(.erase(slot: slot), .erase)
            reporter.event(JSONLine(event: "done"))
            reporter.note("erased")
        }
    }

    /// Throws if the device would run, or return to, an image in a spare slot. Zephyr itself does
    /// not protect the image that a device would return to.
    private static func protectTrial(_ list: ImageList) throws(Failure) {
        let isPending = list.slots.contains { $0.isPending && !$0.isActive }
        let isTrial = list.slots.contains { $0.isActive && !$0.isConfirmed }
        guard isPending || isTrial else { return }
        throw Failure(
            .refused,
            isPending
                ? "The device is to run the image in a spare slot after its next restart; add "
                    + "--force to erase that image"
                : "The device is running an image on trial, and would return to the one in a spare "
                    + "slot; confirm the running image first, or add --force"
        )
    }
}
