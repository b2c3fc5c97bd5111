package import FleetMetrics
import FleetText
import HTTPTypes
import Hummingbird
import NIOCore

/// Serves the metrics of a gateway or a controller, on a port of their own.
package enum MetricsServer {
    /// Serves until the task is cancelled.
    ///
    /// - Parameter ready: called with the address once it listens.
    package static func run(
        _ registry: MetricsRegistry,
        at address: ListenAddress,
        ready: @escaping @Sendable (ListenAddress) -> Void
    ) async throws(WebServerError) {
        let router = Router(context: ConsoleContext.self)
        router.get("metrics") { _, _ in Response(registry.text()) }
        try await WebServer.run(router.buildResponder(), at: address, ready: ready)
    }
}

extension Response {
    init(_ metrics: MetricsText) {
        self.init(.ok, metrics.text, MetricsText.contentType)
    }

    init(_ status: HTTPResponse.Status, _ text: String, _ contentType: String) {
        self.init(
            status: status,
            headers: [.contentType: contentType],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text))
        )
    }

    init(_ html: HTML, status: HTTPResponse.Status = .ok) {
        self.init(status, html.text, "text/html; charset=utf-8")
    }

    init(_ json: JSON, status: HTTPResponse.Status = .ok) {
        self.init(status, json.description + "\n", "application/json")
    }

    /// Sends the browser to another page with GET.
    static func seeOther(_ path: String) -> Response {
        Response(status: .seeOther, headers: [.location: path])
    }
}
