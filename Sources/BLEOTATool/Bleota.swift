import ArgumentParser

/// The tool. Each command is a file of its own; what they share is in Support.
@main
struct Bleota: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bleota",
        abstract: "Move firmware over Bluetooth LE and do not lose a byte.",
        discussion: """
            An interrupted transfer goes on from what the receiver has stored: run the same \
            command again.

            EXIT CODES:
              0    verified
              1    a simulated transfer broke a rule
              64   usage
              65   the image or its manifest is refused, or the device does not run it
              69   no such target
              73   the output or the socket can't be created
              74   input or output failed
              75   interrupted, or not confirmed in time; the same command goes on from there
              76   the peer broke the protocol
              77   no permission
              130  stopped by SIGINT
            """,
        version: "0.1.0",
        subcommands: [
            PushCommand.self, ReceiveCommand.self, PullCommand.self, ConfirmCommand.self,
            KeyCommand.self, SignCommand.self, VerifyCommand.self, ShowCommand.self,
            DecodeCommand.self,
            SimulateCommand.self, BenchCommand.self,
        ] + bluetooth
    )

    #if BlueZ
    private static let bluetooth: [any ParsableCommand.Type] = [
        ScanCommand.self, InspectCommand.self, ReadCommand.self, WriteCommand.self,
        WatchCommand.self, DoctorCommand.self,
    ]
    #else
    private static let bluetooth: [any ParsableCommand.Type] = []
    #endif
}
