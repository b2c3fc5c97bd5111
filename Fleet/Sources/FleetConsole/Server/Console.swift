package import FleetMetrics
package import FleetStore
import Hummingbird
import NATS

/// The console: a web page that shows the fleet, and can pause and resume its campaigns.
package struct Console: Sendable {
    package struct Options: Sendable {
        package let address: ListenAddress
        package let token: Secret
        /// Whether a proxy that speaks TLS is before it, so that browsers send the cookie over TLS
        /// only, and the proxy says who asks.
        package let isBehindTLS: Bool

        package init(address: ListenAddress, token: Secret, isBehindTLS: Bool) {
            self.address = address
            self.token = token
            self.isBehindTLS = isBehindTLS
        }
    }

    /// Why a console ended by itself.
    package enum Failure: Error, Sendable {
        case store(FleetStoreError)
        case web(WebServerError)
    }

    let store: FleetStore
    let options: Options
    let metrics: MetricsRegistry

    package init(store: FleetStore, options: Options, metrics: MetricsRegistry) {
        self.store = store
        self.options = options
        self.metrics = metrics
    }

    /// Works until the task is cancelled.
    ///
    /// - Parameter ready: called with the address once it listens.
    package func run(
        ready: @escaping @Sendable (ListenAddress) -> Void
    ) async throws(Failure) {
        let feed = FleetFeed(store)
        let responder = Self.router(feed, options, metrics).buildResponder()
        let failure = await withTaskGroup(of: Failure?.self) { group in
            group.addTask {
                do throws(FleetStoreError) {
                    try await feed.run()
                    return nil
                } catch {
                    return .store(error)
                }
            }
            group.addTask {
                do throws(WebServerError) {
                    try await WebServer.run(responder, at: options.address, ready: ready)
                    return nil
                } catch {
                    return .web(error)
                }
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
        if let failure { throw failure }
    }

    private static func router(
        _ feed: FleetFeed,
        _ options: Options,
        _ metrics: MetricsRegistry
    ) -> Router<ConsoleContext> {
        let door = Door(options.token)
        let router = Router(context: ConsoleContext.self)
        router.add(middleware: SecurityHeaders())
        Assets.add(to: router)
        LoginRoutes(door: door, metrics: metrics, isBehindTLS: options.isBehindTLS)
            .add(to: router)
        let inside = router.group()
            .add(middleware: RequireSession(door: door, isBehindTLS: options.isBehindTLS))
        let streams = EventStreams(feed: feed, door: door, metrics: metrics)
        PageRoutes(feed: feed).add(to: inside)
        DataRoutes(feed: feed).add(to: inside)
        SteeringRoutes(feed: feed, isBehindTLS: options.isBehindTLS).add(to: inside)
        streams.add(to: inside)
        inside.get("metrics") { _, _ in
            var text = MetricsText()
            metrics.write(to: &text)
            let sessionCount = await door.sessionCount
            text.add(.consoleSessions, [([], sessionCount)])
            await feed.write(to: &text)
            return Response(text)
        }
        return router
    }
}
