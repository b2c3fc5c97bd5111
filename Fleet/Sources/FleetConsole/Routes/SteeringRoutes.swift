import FleetModel
import FleetStore
import HTTPTypes
import Hummingbird
import NATS

/// What the console changes: it pauses and resumes campaigns.
struct SteeringRoutes {
    let feed: FleetFeed
    let isBehindTLS: Bool

    func add(to router: RouterGroup<ConsoleContext>) {
        router.post("campaigns/:name/pause") { request, context in
            try await tell(.pause, "paused", request, context)
        }
        router.post("campaigns/:name/resume") { request, context in
            try await tell(.resume, "resumed", request, context)
        }
    }

    private func tell(
        _ input: CampaignPhase.Input,
        _ what: String,
        _ request: Request,
        _ context: ConsoleContext
    ) async throws -> Response {
        guard let session = context.session?.session else { throw Problem.fromElsewhere }
        try await session.require(request)
        let campaign = try context.campaign
        let result: (campaign: Campaign, isChanged: Bool)
        do throws(FleetStoreError) { result = try await feed.store.tell(campaign, input) } catch {
            throw error == .nats(.notFound)
                ? Problem.notFound("campaign \(campaign)") : Problem(error)
        }
        guard result.isChanged else {
            throw Problem(.conflict, "\(campaign) can’t be \(what) now.")
        }
        // The page shows it at once, also if the watch is slower than the browser.
        await feed.read { view, _ in view.see(result.campaign) }
        try await note("\(what) \(campaign)", request.address(context, isBehindTLS: isBehindTLS))
        return .seeOther("/campaigns/\(campaign)")
    }

    /// Writes down what somebody has done with a browser.
    private func note(_ sentence: String, _ address: String) async throws {
        let author = "browser at \(address), console of \(ThisProcess.description)"
        do throws(FleetStoreError) {
            try await feed.store.audit.add(sentence, by: author, about: .console)
        } catch {
            let problem = Problem(error)
            throw Problem(
                problem.status,
                "It is done, but the audit stream doesn’t have it: \(error.description)."
            )
        }
    }
}

extension ConsoleContext {
    var campaign: CampaignID { get throws { try name("campaign") } }
    var device: DeviceID { get throws { try name("device") } }
    var gateway: GatewayID { get throws { try name("gateway") } }

    private func name<Kind>(_ what: String) throws -> Identifier<Kind> {
        let text = parameters.get("name") ?? ""
        guard let name = Identifier<Kind>(text) else { throw Problem.notFound("such \(what)") }
        return name
    }
}
