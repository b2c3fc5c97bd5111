import ArgumentParser
import BLEOTA
import BLEOTASMP

/// `bleota device confirm`: has the device keep an image.
struct DeviceConfirmCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "confirm",
        abstract: "Keep the image that runs, or run another one for good.",
        usage: "bleota device confirm [<hash>] [--device <NAME> | --connect <TARGET>]",
        discussion: """
            Example:
              bleota device confirm --device kitchen
            """
    )

    @Argument(
        help: "Hash of the image; the one that runs if left out.",
        transform: ImageHashArgument.init
    )
    var hash: ImageHashArgument?

    @OptionGroup var target: DeviceTargetOptions

    func run() async throws {
        let hash = hash?.bytes
        try await target.use { client, reporter in
            let request = hash.map { SMPRequest.setState(hash: $0, isForGood: true) }
            _ = try await client.require(request ?? .confirmRunning, .confirm)
            reporter.event(JSONLine(event: "done"))
            reporter.note(hash == nil ? "confirmed" : "confirmed; runs after the next restart")
        }
    }
}

/// `bleota device test`: has the device run an image on trial.
struct DeviceTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Run an image on trial after the next restart.",
        usage: "bleota device test <hash> [--device <NAME> | --connect <TARGET>]",
        discussion: """
            The device returns to its present image at the restart after that, unless the new \
            image is confirmed.

            Example:
              bleota device test 627e…ce0a --device kitchen
            """
    )

    @Argument(
        help: "Hash of the image, as bleota device images prints it.",
        transform: ImageHashArgument.init
    )
    var hash: ImageHashArgument

    @OptionGroup var target: DeviceTargetOptions

    func run() async throws {
        let hash = hash.bytes
        try await target.use { client, reporter in
            _ = try await client.require(.setState(hash: hash, isForGood: false), .mark)
            reporter.event(JSONLine(event: "done"))
            reporter.note("pending; bleota device reset runs it")
        }
    }
}

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

    @Flag(help: "Erase an image that is pending, or to which the device would return.")
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

    /// Zephyr itself erases the image that a device would return to.
    private static func protectTrial(_ list: ImageList) throws(Failure) {
        let isPending = list.slots.contains { $0.isPending && !$0.isActive }
        let isTrial = list.slots.contains { $0.isActive && !$0.isConfirmed }
        guard isPending || isTrial else { return }
        throw Failure(
            .refused,
            isPending
                ? "The device is to run an image of a spare slot at its next restart; add --force "
                    + "to erase it"
                : "The device runs an image on trial, and would return to the one in a spare slot; "
                    + "confirm the image first, or add --force"
        )
    }
}

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

    @Flag(help: "Restart even if the device's application objects.")
    var force = false

    @OptionGroup var target: DeviceTargetOptions

    func run() async throws {
        let force = force
        try await target.use { client, reporter in
            do throws(TransferError) {
                _ = try await client.require(.reset(isForced: force), .reset)
            } catch {
                // A device may restart before its answer has left.
                guard case .linkLost = error.problem else { throw error }
            }
            reporter.event(JSONLine(event: "done"))
            reporter.note("restarting")
        }
    }
}

/// `bleota device echo`: has the device send a text back.
struct DeviceEchoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "echo",
        abstract: "Have the device send a text back.",
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
