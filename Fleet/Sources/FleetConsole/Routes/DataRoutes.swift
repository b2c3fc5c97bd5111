import FleetModel
import FleetStore
import FleetText
import Hummingbird

/// What the pages show, as JSON for programs.
struct DataRoutes {
    let feed: FleetFeed

    func add(to router: RouterGroup<ConsoleContext>) {
        router.get("api/fleet") { _, _ in Response(await feed.summary.json) }
        router.get("api/campaigns") { _, _ in
            let campaigns = await feed.read { view, _ in view.allCampaigns() }
            return await answer(.object(["campaigns": .list(campaigns.map { $0.json() })]))
        }
        router.get("api/campaigns/:name") { _, context in
            let id = try context.campaign
            let (campaign, failures) = await feed.read { view, _ in
                (view.campaign(id), view.failures(of: id))
            }
            guard let campaign else { throw Problem.notFound("campaign \(id)") }
            return await answer(campaign.json(failures))
        }
        router.get("api/devices") { request, _ in
            let query = try DeviceQuery(request)
            return await answer(feed.read { view, _ in view.devices(query) }.json)
        }
        router.get("api/devices/:name") { _, context in
            let (device, history) = try await feed.device(try context.device)
            return await answer(device.json(history))
        }
        router.get("api/gateways") { _, _ in
            let gateways = await feed.read { [start = feed.start] view, now in
                view.allGateways(at: now, since: start)
            }
            return await answer(.object(["gateways": .list(gateways.map(\.json))]))
        }
        router.get("api/gateways/:name") { _, context in
            let page = try await feed.gateway(try context.gateway)
            return await answer(
                .object([
                    "gateway": page.gateway.json, "lent": page.lent.json, "heard": page.heard.json,
                ])
            )
        }
        router.get("api/audit") { _, _ in
            guard let lines = try await feed.audit() else {
                throw Problem(.serviceUnavailable, "The store can’t be reached at present.")
            }
            return Response(.object(["entries": .list(lines.map(\.json))]))
        }
        router.get("api/failures") { _, _ in
            let groups = await feed.read { view, _ in view.failures() }
            let shown = groups.prefix(FailuresPage.reasonsMax)
            return await answer(
                .object([
                    "reasonCount": .number(groups.count), "failures": .list(shown.map(\.json)),
                ])
            )
        }
    }
    /// Adds whether the console has read all of the store, and whether it reaches the store: while
    /// it doesn't, it answers with what was known before.
    private func answer(_ json: JSON) async -> Response {
        let (isComplete, isConnected) = await feed.read { view, _ in
            (view.isComplete, view.isConnected)
        }
        return Response(
            json.adding("isComplete", .flag(isComplete)).adding("isConnected", .flag(isConnected))
        )
    }
}
