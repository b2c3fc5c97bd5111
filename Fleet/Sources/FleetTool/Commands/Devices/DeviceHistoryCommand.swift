import ArgumentParser
import FleetConsole
import FleetModel
import FleetStore
import FleetText
import NATS

/// `bleota-fleet devices history`.
struct DeviceHistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Show what has happened to a device, the newest first.",
        discussion: """
            The store keeps the last \(FleetStore.deviceHistory.count) writings of a device's \
            record, which are two or three campaigns. Times are UTC, by the server's clock.

            Example:
              bleota-fleet devices history B827EB123456
            """
    )

    @Argument(
        help: "Name of the device.",
        transform: { try Values.name($0, of: DeviceRecord.self) }
    )
    var name: DeviceID

    @Flag(help: "Print each event as a line of JSON.") var json = false
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await Command.run(on: server) { () async throws(ToolFailure) in
            let store = try await server.openStore(as: "bleota-fleet-devices")
            let history: DeviceHistory
            do throws(FleetStoreError) {
                history = DeviceHistory(
                    try await store.devices.history(of: name).map { .init($0.value, at: $0.moment) }
                )
            } catch {
                throw ToolFailure(error)
            }
            guard !history.events.isEmpty else { throw .noDevice(name) }
            for event in history.events {
                Console.print(
                    json
                        ? event.line(of: name).text
                        : Table.line([(text: event.moment.text, width: 19)], event.news.words)
                )
            }
        }
    }
}

extension DeviceHistory.News {
    fileprivate var words: String {
        switch self {
        case .known(let state, let version): "\(state.rawValue), version \(version)"
        case .given(let campaign): "given a job of \(campaign)"
        case .lent(let gateway, _): "lent to \(gateway)"
        case .updated(let version): "updated to \(version)"
        case .failed(let why): "failed: \(why.detail)"
        case .retry(let attempt, let moment, let why):
            "attempt \(attempt) may begin at \(moment.text), because one failed"
                + (why.map { ": \($0.detail)" } ?? "")
        case .returned(let gateway): "\(gateway) no longer has it; that counts as no attempt"
        case .version(let version): "heard with version \(version)"
        case .group(let group): group.map { "heard in group \($0)" } ?? "heard in no group"
        }
    }
}

extension DeviceHistory.Event {
    fileprivate func line(of device: DeviceID) -> JSONObject {
        let line = JSONObject("history").with("device", device.text).with("time", moment.timestamp)
        return switch news {
        case .known(let state, let version):
            line.with("change", "known").with("state", state.rawValue)
                .with("version", version.description)
        case .given(let campaign): line.with("change", "given").with("campaign", campaign.text)
        case .lent(let gateway, let turn):
            line.with("change", "lent").with("gateway", gateway.text)
                .with("turn", UInt64(turn.number))
        case .updated(let version):
            line.with("change", "updated").with("version", version.description)
        case .failed(let why):
            line.with("change", "failed").with(why)
        case .retry(let attempt, let moment, let why):
            line.with("change", "retry").with("attempt", UInt64(attempt))
                .with("notBefore", moment.timestamp).with(why)
        case .returned(let gateway): line.with("change", "returned").with("gateway", gateway.text)
        case .version(let version):
            line.with("change", "version").with("version", version.description)
        case .group(let group):
            group.map { line.with("change", "group").with("group", $0.text) }
                ?? line.with("change", "group")
        }
    }
}
