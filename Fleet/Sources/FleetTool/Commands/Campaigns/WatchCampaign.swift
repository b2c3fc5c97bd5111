import ArgumentParser
import FleetModel
import FleetStore
import FleetText
import NATS

/// `bleota-fleet campaign watch`.
struct WatchCampaign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Follow a campaign until it is over.",
        discussion: """
            In a terminal, each stage has a bar. Elsewhere, each change is a line, and with --json \
            an object.

            EXIT CODES:
              0    every stage is done
              65   the campaign was stopped, by its failures or by an operator
            """
    )
    @OptionGroup var campaign: CampaignOptions

    func run() async throws {
        try await Command.run(on: campaign.server) { () async throws(ToolFailure) in
            let store = try await campaign.openStore()
            _ = try await store.campaign(campaign.name)
            let state = try await follow(store)
            try Self.judge(state)
        }
    }

    private enum News: Sendable {
        case campaign(Campaign)
        case progress(Progress)
        case failed(ToolFailure)
        /// Nothing but that time has passed: a window may have closed.
        case time
    }

    /// How late a campaign is said to wait: as long as it takes until no gateway is said to hear
    /// its devices.
    private static let lookPause = Duration.seconds(10)

    /// Shows each change until the campaign is over.
    private func follow(_ store: FleetStore) async throws(ToolFailure) -> CampaignState {
        let result = await withTaskGroup(of: Void.self) { group in
            let (news, sender) = AsyncStream.makeStream(of: News.self)
            group.addTask { [name = campaign.name] in
                await Self.watch(store.campaigns, name, sender) { .campaign($0) }
            }
            group.addTask { [name = campaign.name] in
                await Self.watch(store.progress, name, sender) { .progress($0) }
            }
            group.addTask {
                while (try? await Task.sleep(for: Self.lookPause)) != nil { sender.yield(.time) }
            }
            defer { group.cancelAll() }
            return await showing(news, store)
        }
        return try result.get()
    }

    private func showing(
        _ news: AsyncStream<News>,
        _ store: FleetStore
    ) async -> Result<CampaignState, ToolFailure> {
        var view = View(isJSON: campaign.json)
        var (present, progress): (Campaign?, Progress?)
        for await news in news {
            switch news {
            case .campaign(let campaign): present = campaign
            case .progress(let new): progress = new
            case .failed(let failure): return .failure(failure)
            case .time: break
            }
            guard let present else { continue }
            if present.phase.isOver {
                // The counts that ended it were written before, but may be seen after.
                do throws(ToolFailure) {
                    progress = try await store.progress(of: present.plan.id)
                } catch {
                    return .failure(error)
                }
            }
            let state = CampaignState(present, progress)
            if case .time = news { view.showWait(state) } else { view.show(state) }
            if present.phase.isOver { return .success(state) }
        }
        return .failure(ToolFailure(.interrupted, "stopped before the campaign was over"))
    }

    private static func watch<Value>(
        _ shelf: Shelf<CampaignID, Value>,
        _ name: CampaignID,
        _ sender: AsyncStream<News>.Continuation,
        _ news: (Value) -> News
    ) async {
        do throws(FleetStoreError) {
            for try await change in try await shelf.watch(KeyFilter(name.key)) {
                switch change {
                case .value(let entry): sender.yield(news(entry.value))
                case .deleted:
                    let sentence = "somebody has deleted \(name)"
                    sender.yield(.failed(ToolFailure(.unavailable, sentence)))
                case .unreadable(let key, _):
                    let sentence = "what is stored as \(key) can't be read"
                    sender.yield(.failed(ToolFailure(.badData, sentence)))
                case .caughtUp, .startedOver: break
                }
            }
            // Only a task that was cancelled comes here.
            sender.finish()
        } catch {
            sender.yield(.failed(ToolFailure(error)))
        }
    }

    private static func judge(_ state: CampaignState) throws(ToolFailure) {
        let plan = state.campaign.plan
        switch state.campaign.phase {
        case .stopped(.tooManyFailures):
            throw ToolFailure(
                .badData,
                "\(plan.id) was stopped, because more than \(plan.failuresAllowed.percent) of a "
                    + "stage failed: bleota-fleet devices --campaign \(plan.id) --state failed "
                    + "says why"
            )
        case .stopped(.operator):
            throw ToolFailure(.badData, "\(plan.id) was stopped by an operator")
        case .ready, .running, .paused, .finished: break
        }
    }

    /// Where the changes are shown.
    private struct View {
        let isJSON: Bool
        private var picture: LivePicture?
        private var last = ""
        private var lastWait: CampaignWait?

        init(isJSON: Bool) {
            self.isJSON = isJSON
            picture = isJSON ? nil : LivePicture()
        }

        /// Shows a campaign again if it waits for something else than it did. Only the time of the
        /// last count is another otherwise.
        mutating func showWait(_ state: CampaignState) {
            if state.wait != lastWait { show(state) }
        }

        mutating func show(_ state: CampaignState) {
            lastWait = state.wait
            if let width = picture?.width {
                picture?.draw(state.picture(width: width))
                return
            }
            let line = isJSON ? state.line.text : state.sentence
            if line != last { Console.print(line) }
            last = line
        }
    }
}
