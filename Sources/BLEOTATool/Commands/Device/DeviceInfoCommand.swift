import ArgumentParser
import BLEOTA
import BLEOTASMP

/// `bleota device info`: prints what the device reports about itself.
struct DeviceInfoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Print what the device reports about itself.",
        usage: "bleota device info [--device <NAME> | --connect <TARGET>] [<options>]",
        discussion: """
            A device reports only what its firmware was built to report.

            Example:
              bleota device info --connect smp+serial:/dev/ttyACM0
            """
    )

    @OptionGroup var target: DeviceTargetOptions

    func run() async throws {
        try await target.use { client, reporter in
            var facts: [(key: String, name: String, value: String)] = []
            let parameters = try await client.ask(.parameters)
            if let size = parameters.number("buf_size"), let count = parameters.number("buf_count")
            {
                facts.append(("buffers", "buffers", "\(count) of \(size) bytes each"))
            }
            // Everything that the device can report, as with `uname -a`.
            let application = try await client.ask(.application(format: "a"))
            if let text = application.text("output") {
                facts.append(("application", "application", text))
            }
            let bootloader = try await client.ask(.bootloader)
            if let text = bootloader.text("bootloader") {
                facts.append(("bootloader", "bootloader", text))
            }
            let sizes = try await client.ask(.slotInfo)
            if let limit = SlotSizes(sizes)?.imageByteCountMax(image: 0) {
                facts.append(("imageBytesMax", "image", "at most \(Units.grouped(limit)) bytes"))
            }
            var event = JSONLine(event: "info")
            for fact in facts { event = event.adding(fact.key, fact.value) }
            reporter.event(event)
            for fact in facts {
                let name = TerminalText.padded(fact.name, columnCount: 14)
                reporter.say(name + TerminalText.clean(fact.value))
            }
            if facts.isEmpty { reporter.say("the device responds, but reports nothing") }
        }
    }
}

extension SMPReply {
    fileprivate func number(_ key: String) -> Int64? { error == nil ? content[key]?.integer : nil }

    fileprivate func text(_ key: String) -> String? { error == nil ? content[key]?.text : nil }
}
