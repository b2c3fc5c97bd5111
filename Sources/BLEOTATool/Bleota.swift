import ArgumentParser
import Glibc

#if !Signatures
#error("the tool needs the trait Signatures, which is one of the defaults")
#endif

/// The tool. Each command has a file of its own.
@main
struct Bleota: AsyncParsableCommand {
    static let versionNumber = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "bleota",
        abstract: "Send firmware over Bluetooth LE without losing a byte.",
        usage: """
            bleota <command> [<options>]
            bleota --version
            """,
        discussion: """
            To resume an interrupted transfer, run the same command again.

            Example:
              bleota push firmware.bin --loopback --loss 2%

            EXIT CODES:
              0    verified, or done
              1    a simulated transfer broke a rule, or a receiver is not safe
              64   wrong usage
              65   the image was refused, or the device does not run it
              69   the target was not found
              73   the output or the socket can't be created
              74   input or output failed
              75   interrupted, not confirmed in time, or in use; run the command again
              76   the peer violated the protocol
              77   permission denied
              129  stopped by SIGHUP
              130  stopped by SIGINT
              143  stopped by SIGTERM
            """,
        groupedSubcommands: [
            CommandGroup(
                name: "Transfers",
                subcommands: [
                    PushCommand.self, ReceiveCommand.self, PullCommand.self, StatusCommand.self,
                    ConfirmCommand.self,
                ]
            ),
            CommandGroup(name: "Devices with SMP", subcommands: [DeviceCommand.self]),
            CommandGroup(
                name: "Signed images",
                subcommands: [
                    KeyCommand.self, SignCommand.self, VerifyCommand.self, ShowCommand.self,
                ]
            ),
        ] + bluetooth + [
            CommandGroup(
                name: "Measurements",
                subcommands: [BenchCommand.self, SimulateCommand.self, DecodeCommand.self]
            )
        ]
    )

    #if BlueZ
    private static let bluetooth = [
        CommandGroup(
            name: "Any Bluetooth device",
            subcommands: [
                ScanCommand.self, InspectCommand.self, ReadCommand.self, WriteCommand.self,
                WatchCommand.self, DoctorCommand.self,
            ]
        )
    ]
    #else
    private static let bluetooth: [CommandGroup] = []
    #endif

    static func main() async {
        Terminal.reserveStandardStreams()
        let arguments = ArgumentBytes.all
        do {
            try Descriptors.require(Descriptors.commandCountMin)
            // `--version` is neither an option nor the configuration's version: the commands
            // would inherit both, but `sign` has another option of this name.
            if arguments == ["--version"] { return try tell("\(versionNumber)\n") }
            // For an unknown word, the parser would print the help of the whole tool.
            if arguments.first == "help", let word = Suggestion.unknown(in: arguments.dropFirst()) {
                let hint = Suggestion.sentence(for: arguments) ?? Suggestion.noCommand(word)
                Terminal.printRawError(hint + "\n")
                Glibc.exit(ExitStatus.usage.rawValue)
            }
            var command = try parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            end(error, arguments)
        }
    }

    func run() throws {
        try Self.tell(HelpText.short + "\n")
    }

    private static func tell(_ text: String) throws {
        Terminal.printRaw(text)
        try Terminal.requireCompleteOutput()
    }

    /// Exits after a command has failed, or after it has printed the requested help.
    private static func end(_ error: any Error, _ arguments: [String]) -> Never {
        if let failure = error as? Failure { Glibc.exit(Command.report(failure).rawValue) }
        let code = exitCode(for: error)
        let message = Suggestion.corrected(fullMessage(for: error), for: arguments)
        guard code == .success else {
            let hint = Suggestion.sentence(for: arguments).map { $0 + "\n" } ?? ""
            if !message.isEmpty { Terminal.printRawError(hint + ArgumentBytes.readable(message)) }
            if !message.isEmpty, !message.hasSuffix("\n") { Terminal.printRawError("\n") }
            Glibc.exit(code.rawValue)
        }
        do {
            try tell(TargetCompletion.extended(HelpText.arranged(message)) + "\n")
            Glibc.exit(0)
        } catch {
            Glibc.exit(Command.report(Command.failure(of: error)).rawValue)
        }
    }
}
