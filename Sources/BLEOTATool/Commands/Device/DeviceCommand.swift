import ArgumentParser

/// `bleota device`: inspects and manages a device that speaks SMP.
struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Inspect and manage a device that speaks SMP.",
        usage: "bleota device <command> [--device <NAME> | --connect <TARGET>]",
        discussion: """
            Firmware built with Zephyr, the nRF Connect SDK or Mynewt can speak SMP. bleota push \
            updates devices that do.

            Examples:
              bleota device images --device kitchen
              bleota device reset --connect smp+udp:192.0.2.7
            """,
        subcommands: [
            DeviceImagesCommand.self, DeviceInfoCommand.self, DeviceConfirmCommand.self,
            DeviceTestCommand.self, DeviceEraseCommand.self, DeviceResetCommand.self,
            DeviceEchoCommand.self,
        ]
    )
}
