import ArgumentParser
import BLEOTA
import BLEOTASMP

/// `bleota device echo`: has the device send text back.
struct DeviceEchoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "echo",
        abstract: "Have the device send text back.",
        usage: "bleota device echo <text> [--device <NAME> | --connect <TARGET>]",
        discussion: """
            Example:
              bleota device echo hello --connect smp+udp:192.0.2.7
            """
    )

    @Argument(help: "Text to send, at most 200 bytes.")
    var text: String

    @OptionGroup var target: DeviceTargetOptions

    func validate() throws {
        if !(1...200).contains(text.utf8.count) {
            throw ValidationError("the text must be 1 to 200 bytes long")
        }
    }

    func run() async throws {
        let text = text
        try await target.use { client, reporter in
            let reply = try await client.require(.echo(text), .echo)
            let answer = reply.content["r"]?.text ?? ""
            reporter.event(JSONLine(event: "echo").adding("text", answer))
            reporter.say(TerminalText.clean(answer))
        }
    }
}
