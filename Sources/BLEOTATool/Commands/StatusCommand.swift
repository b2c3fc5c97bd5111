import ArgumentParser
import BLEOTA
import BLEOTAWire
import SystemPackage

/// `bleota status`: asks a device which image it runs.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Ask a device which image it runs.",
        usage: usage,
        discussion: """
            With --key, the device signs its answer, and the answer counts only if the signature \
            is valid for that key. The device needs its private key (receive --device-key). \
            Without --key, the answer may come from anyone.

            Example:
              bleota status --connect unix:/run/device.socket --key device.pem.pub
            """
    )

    #if BlueZ
    private static let usage = """
        bleota status [--device <NAME>] [--key <FILE>] [<options>]
        bleota status --connect \(TargetArgument.usage)
                      [--key <FILE>] [<options>]
        """
    #else
    private static let usage = """
        bleota status --connect \(TargetArgument.usage)
                      [--key <FILE>] [<options>]
        """
    #endif

    @OptionGroup var receiver: ReceiverOptions

    @Option(
        help: ArgumentHelp("Public key of the device, to check its receipt.", valueName: "FILE"),
        completion: .file(extensions: ["pub", "pem"])
    )
    var key: String?

    @OptionGroup(title: "Output") var traceOption: TraceOption
    @OptionGroup(title: "Output") var outputOptions: OutputOptions

    func run() async throws {
        let reporter = Reporter(outputOptions)
        try await Command.run(reporter) {
            let key = try key.map { try KeyFile.verifyingKey(at: FilePath(argument: $0)) }
            let keyFiles = self.key.map { [FilePath(argument: $0)] } ?? []
            let trace = try traceOption.open(reporter, keys: keyFiles)
            try await receiver.reach(
                timeout: .seconds(10),
                searchLimit: .seconds(15),
                trace: trace,
                reporter
            ) { connector in
                try await ask(through: connector, key, reporter)
            }
        }
    }

    private func ask(
        through connector: ToolConnector,
        _ key: VerifyingKey?,
        _ reporter: Reporter
    ) async throws {
        let link = try await connector.connect()
        defer { link.close(.local) }
        guard let key else {
            let running = try await runningImage(over: link)
            let tag = running.tag == 0 ? "" : TransferTag(rawValue: running.tag).hex
            reporter.event(
                JSONLine(event: "status").adding("state", "\(running)").adding("tag", tag)
            )
            let name = Self.padded(running.state.text)
            if !tag.isEmpty {
                reporter.say("\(name)SHA-256 begins with \(tag)")
            } else if running.state == .unknown {
                reporter.say("\(name)the device does not say which image it runs")
            } else {
                reporter.say(running.state.text)
            }
            return
        }
        let nonce = ReceiptNonce.random()
        guard let receipt = try await signedReceipt(over: link, nonce: nonce) else {
            throw Failure(
                .refused,
                "The device signs no receipts; give its receiver a key with --device-key"
            )
        }
        guard receipt.isValid(for: key, nonce: nonce) else {
            throw Failure(
                .refused,
                receipt.publicKey == key.bytes
                    ? "The device's receipt has a signature that is not valid; ask again, and "
                        + "suspect the device if this happens again"
                    : "The receipt was not signed with this key, so another device answered; give "
                        + "the public key of the device"
            )
        }
        reporter.event(
            JSONLine(event: "receipt").adding("state", "\(receipt.running)")
                .adding("sha256", HexText.text(receipt.sha256))
                .adding("version", receipt.version).adding("counter", Int(receipt.counter))
                .adding("key", key.id.hex)
        )
        reporter.say(Self.padded(receipt.running.state.text) + HexText.text(receipt.sha256))
        reporter.say(Self.padded("version") + (receipt.version.isEmpty ? "-" : receipt.version))
        reporter.say(Self.padded("counter") + "\(receipt.counter)")
        reporter.say(Self.padded("signed by") + key.id.hex)
    }

    private static func padded(_ name: String) -> String {
        name + String(repeating: " ", count: 14 - name.count)
    }
}
