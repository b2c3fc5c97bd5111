import FleetModel
import FleetStore
import Hummingbird
import HummingbirdCore

/// The pages for people.
struct PageRoutes {
    let feed: FleetFeed

    func add(to router: RouterGroup<ConsoleContext>) {
        router.get("/") { _, context in try await overview(context) }
        router.get("campaigns/:name") { _, context in try await campaign(context) }
        router.get("devices") { request, context in try await devices(request, context) }
        router.get("devices/:name") { _, context in try await device(context) }
        router.get("gateways") { _, context in try await gateways(context) }
        router.get("gateways/:name") { _, context in try await gateway(context) }
        router.get("failures") { _, context in try await failures(context) }
        router.get("audit") { _, context in try await audit(context) }
    }

    /// What stands around a page.
    private func shell(_ context: ConsoleContext) async throws -> Shell {
        // Programs with the token have no pages: those have forms, which need a session.
        guard let session = context.session?.session else { throw Problem.fromElsewhere }
        return Shell(summary: await feed.summary, formSecret: session.formSecret)
    }

    private func overview(_ context: ConsoleContext) async throws -> Response {
        let shell = try await shell(context)
        let page = await feed.read { [start = feed.start] view, now in
            OverviewPage(
                summary: shell.summary,
                campaigns: view.allCampaigns(),
                gateways: view.allGateways(at: now, since: start),
                failures: view.failures()
            )
        }
        return Response(shell.page("Overview", at: .overview, page.html))
    }

    private func campaign(_ context: ConsoleContext) async throws -> Response {
        let shell = try await shell(context)
        let id = try context.campaign
        let (campaign, failures) = await feed.read { view, _ in
            (view.campaign(id), view.failures(of: id))
        }
        guard let campaign else { throw Problem.notFound("campaign \(id)") }
        let page = CampaignPage(campaign: campaign, failures: failures, shell: shell)
        return Response(shell.page(id.text, at: .overview, page.html))
    }

    private func devices(_ request: Request, _ context: ConsoleContext) async throws -> Response {
        let shell = try await shell(context)
        let query = try DeviceQuery(request)
        let (page, campaigns) = await feed.read { view, _ in
            (view.devices(query), view.allCampaigns().map(\.plan.id))
        }
        let content = DevicesPage(page: page, campaigns: campaigns).html
        return Response(shell.page("Devices", at: .devices, content))
    }

    private func device(_ context: ConsoleContext) async throws -> Response {
        let shell = try await shell(context)
        let (device, history) = try await feed.device(try context.device)
        let page = DevicePageOfOne(device: device, history: history)
        return Response(shell.page(device.record.id.text, at: .devices, page.html))
    }

    private func gateways(_ context: ConsoleContext) async throws -> Response {
        let shell = try await shell(context)
        let gateways = await feed.read { [start = feed.start] view, now in
            view.allGateways(at: now, since: start)
        }
        return Response(
            shell.page("Gateways", at: .gateways, GatewaysPage(gateways: gateways).html)
        )
    }

    private func gateway(_ context: ConsoleContext) async throws -> Response {
        let shell = try await shell(context)
        let page = try await feed.gateway(try context.gateway)
        return Response(shell.page(page.gateway.id.text, at: .gateways, page.html))
    }

    private func failures(_ context: ConsoleContext) async throws -> Response {
        let shell = try await shell(context)
        let groups = await feed.read { view, _ in view.failures() }
        return Response(shell.page("Failures", at: .failures, FailuresPage(groups: groups).html))
    }
}

extension PageRoutes {
    private func audit(_ context: ConsoleContext) async throws -> Response {
        let shell = try await shell(context)
        return Response(shell.page("Audit", at: nil, AuditPage(lines: try await feed.audit()).html))
    }
}

extension FleetFeed {
    /// The last entries of the audit stream, the newest first; `nil` while it can't be reached.
    func audit() async throws -> [AuditLog.Line]? {
        var lines: [AuditLog.Line] = []
        do throws(FleetStoreError) {
            try await store.audit.read(last: AuditPage.linesMax) { lines.append($0) }
        } catch {
            guard error.mayPass else { throw Problem(error) }
            return nil
        }
        return lines.reversed()
    }

    /// A device with its history, which is read from the store when it is asked for.
    func device(_ id: DeviceID) async throws -> (DeviceView, DeviceHistory?) {
        guard let device = read({ view, _ in view.device(id) }) else {
            throw Problem.notFound("device \(id)")
        }
        do throws(FleetStoreError) {
            let revisions = try await store.devices.history(of: id)
            return (
                device, DeviceHistory(revisions.map { .init($0.value, at: $0.moment) })
            )
        } catch {
            // The page shows the device without its history while the store is away.
            guard error.mayPass else { throw Problem(error) }
            return (device, nil)
        }
    }

    func gateway(_ id: GatewayID) throws -> GatewayPage {
        let start = start
        let page = read { view, now -> GatewayPage? in
            guard let gateway = view.gateway(id, at: now, since: start) else { return nil }
            var query = DeviceQuery()
            query.gateway = id
            let heard = view.devices(query)
            query.isLent = true
            return GatewayPage(gateway: gateway, lent: view.devices(query), heard: heard)
        }
        guard let page else { throw Problem.notFound("gateway \(id)") }
        return page
    }
}
