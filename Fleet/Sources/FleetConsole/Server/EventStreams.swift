import CoreMetrics
import FleetMetrics
import FleetText
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// Tells browsers that something has changed: server-sent events with a few numbers.
///
/// A browser loads its page again when it gets one, so an event costs the same however much of the
/// fleet has changed.
final class EventStreams: Sendable {
    /// Two events a second at most.
    private static let pause = Duration.milliseconds(500)
    /// An idle stream says something every 15 s, so that no proxy takes it for dead.
    private static let idleRoundsMax = 30
    /// Streams at once: a browser has one for each tab, and 256 connections are enough for these
    /// and their pages.
    static let countMax = 64

    private let feed: FleetFeed
    private let door: Door
    private let metrics: MetricsRegistry
    private let count = Atomic(0)

    init(feed: FleetFeed, door: Door, metrics: MetricsRegistry) {
        self.feed = feed
        self.door = door
        self.metrics = metrics
    }

    func add(to router: RouterGroup<ConsoleContext>) {
        router.get("events") { request, context in
            guard let session = context.session else {
                throw Problem(.unauthorized, "Only a page of the console follows events.")
            }
            return try self.answer(request, session.id)
        }
    }

    private func answer(_ request: Request, _ session: Secret) throws -> Response {
        guard count.load(ordering: .relaxed) < Self.countMax else {
            throw Problem(.serviceUnavailable, "Too many pages follow the fleet.")
        }
        let body = ResponseBody { writer in
            self.change(by: 1)
            defer { self.change(by: -1) }
            let browser = Browser()
            try await request.body.consumeWithInboundCloseHandler { _ in
                try await self.write(to: &writer, session, while: browser)
            } onInboundClosed: {
                browser.leave()
            }
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: [.contentType: "text/event-stream"], body: body)
    }

    /// Whether the browser is still there, which is known from another task.
    private final class Browser: Sendable {
        private let isGone = Atomic(false)

        var isThere: Bool { !isGone.load(ordering: .relaxed) }

        func leave() { isGone.store(true, ordering: .relaxed) }
    }

    private func change(by number: Int) {
        let new = count.wrappingAdd(number, ordering: .relaxed).newValue
        metrics.gauge(.consoleStreams).set(new)
    }

    /// Writes events until the browser is gone, the session is over or the server ends.
    @concurrent
    private func write(
        to writer: inout any ResponseBodyWriter,
        _ session: Secret,
        while browser: Browser
    ) async throws {
        var last: FleetSummary?
        var idleRounds = 0
        while browser.isThere, !Task.isCancelled, await door.session(session) != nil {
            let summary = await feed.summary
            if summary != last {
                let text = "event: fleet\ndata: \(summary.json.description)\n\n"
                try await writer.write(ByteBuffer(string: text))
                (last, idleRounds) = (summary, 0)
            } else if idleRounds == Self.idleRoundsMax {
                try await writer.write(ByteBuffer(string: ": idle\n\n"))
                idleRounds = 0
            }
            idleRounds += 1
            try await Task.sleep(for: Self.pause)
        }
        guard browser.isThere, !Task.isCancelled else { return }
        try await writer.write(ByteBuffer(string: "event: over\ndata: {}\n\n"))
    }
}
