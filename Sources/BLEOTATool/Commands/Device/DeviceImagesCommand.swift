import ArgumentParser
import BLEOTA
import BLEOTASMP

/// `bleota device images`: lists the images in the device's slots.
struct DeviceImagesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "images",
        abstract: "List the images in the device's slots.",
        usage: "bleota device images [--device <NAME> | --connect <TARGET>] [<options>]",
        discussion: """
            An active image is one that is running now. A pending image is one that runs after the \
            next restart. An active image that is not confirmed runs only until the next restart, \
            and a pending image that is not permanent only until the restart after that.

            Example:
              bleota device images --device kitchen
            """
    )

    @OptionGroup var target: DeviceTargetOptions

    func run() async throws {
        try await target.use { client, reporter in
            let list = try await client.images()
            for slot in list.slots { reporter.event(slot.line) }
            reporter.say("image  slot  version          state")
            for slot in list.slots { for line in slot.lines { reporter.say(line) } }
        }
    }
}

extension ImageList.Slot {
    fileprivate var line: JSONLine {
        JSONLine(event: "slot").adding("image", imageNumber).adding("slot", number)
            .adding("version", version).adding("hash", HexText.text(hash))
            .adding("active", isActive).adding("confirmed", isConfirmed)
            .adding("pending", isPending).adding("permanent", isPermanent)
            .adding("bootable", isBootable)
    }

    /// A row of the table, with the hash below.
    fileprivate var lines: [String] {
        let states = [
            (isActive, "active"), (isConfirmed, "confirmed"), (isPending, "pending"),
            (isPermanent, "permanent"), (!isBootable, "not bootable"),
        ]
        let state = states.filter(\.0).map(\.1).joined(separator: ", ")
        let row =
            TerminalText.padded("\(imageNumber)", columnCount: 7)
            + TerminalText.padded("\(number)", columnCount: 6)
            + TerminalText.padded(TerminalText.clean(version), columnCount: 17) + state
        return hash.isEmpty ? [row] : [row, "             \(HexText.text(hash))"]
    }
}
