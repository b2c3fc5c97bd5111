#if BlueZ
import ArgumentParser
import BLEOTABlueZ
import BlueZ

/// `bleota watch`: prints notifications of one characteristic until interrupted.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Print a characteristic's notifications.",
        usage: "bleota watch <device> <characteristic> [<options>]",
        discussion: """
            Example:
              bleota watch 00:AA:01:01:00:01 2a37
            """
    )

    @OptionGroup var target: CharacteristicArguments

    @Option(help: ArgumentHelp("Exit after this many values.", valueName: "N"))
    var count: Int?

    @OptionGroup var adapterOption: AdapterOption
    @OptionGroup(title: "Output") var outputOptions: OutputOptions

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count must be at least 1") }
    }

    func run() async throws {
        let reporter = Reporter(outputOptions)
        try await Command.run(reporter) {
            let session = try await BluetoothSession(adapter: adapterOption.adapter)
            try await session.use(target) { characteristic in
                try await watch(characteristic, session.client, reporter)
            }
        }
    }

    private func watch(
        _ characteristic: RemoteCharacteristic,
        _ client: BlueZClient,
        _ reporter: Reporter
    ) async throws {
        let (values, continuation) = AsyncStream.makeStream(
            of: [UInt8].self,
            bufferingPolicy: .bufferingOldest(4_096)
        )
        let path = characteristic.path
        let ending = client.onEvent { event in
            switch event {
            case .daemonVanished: continuation.finish()
            case .removed(let gone, _) where gone == path: continuation.finish()
            case .changed(let device, _, let changed, _)
            where path.isBelow(device) && changed["Connected"]?.flag == false:
                continuation.finish()
            default: break
            }
        }
        defer { ending.end() }
        let subscription: BlueZSubscription
        do throws(BlueZError) {
            subscription = try await characteristic.subscribe { continuation.yield($0) }
        } catch {
            throw Failure(error)
        }
        defer { subscription.end() }
        reporter.event(JSONLine(event: "watching"))
        reporter.note("watching      press Ctrl-C to stop")
        var seen = 0
        for await value in values {
            reporter.tell(value, of: characteristic, outputOptions)
            seen += 1
            if seen == count { break }
        }
        // An interrupt is the normal way to end.
        if Task.isCancelled || seen == count {
            try? await characteristic.unsubscribe()
            return
        }
        throw Failure(.disconnected)
    }
}
#endif
