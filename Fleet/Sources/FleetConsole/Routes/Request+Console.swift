import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore

extension Request {
    /// Whether a program asks, which understands no page.
    var isByProgram: Bool {
        let path = uri.path
        return path.hasPrefix("/api/") || path == "/events" || path == "/metrics"
    }

    var sessionID: Secret? {
        cookies[RequireSession.cookie].flatMap { Secret($0.value) }
    }

    var bearerToken: String? {
        guard let field = headers[.authorization], field.lowercased().hasPrefix("bearer ") else {
            return nil
        }
        return String(field.dropFirst(7))
    }

    /// The address that asks: behind a proxy, the last that this proxy has written down.
    func address(_ context: ConsoleContext, isBehindTLS: Bool) -> String {
        guard isBehindTLS, let field = headers[HTTPField.Name("X-Forwarded-For")!],
            let last = field.split(separator: ",").last
        else { return context.peer }
        return String(last.drop { $0 == " " }.prefix(64))
    }

    /// Whether a browser sends this on behalf of another site's page. Programs that are no browsers
    /// say nothing of that.
    var isFromElsewhere: Bool {
        if let site = headers[HTTPField.Name("Sec-Fetch-Site")!] {
            return site != "same-origin" && site != "none"
        }
        guard let origin = headers[.origin] else { return false }
        guard let host = head.authority else { return true }
        return origin != "http://\(host)" && origin != "https://\(host)"
    }

    /// The fields of a form.
    func form() async throws -> [String: String] {
        // A token or a secret, and its name.
        guard let body = try? await body.collect(upTo: 1_024) else {
            throw Problem(.contentTooLarge, "No form of the console is so large.")
        }
        let pairs = URI("/?" + String(buffer: body)).queryParameters
        return Dictionary(
            pairs.map { (String($0.key), String($0.value)) },
            uniquingKeysWith: { first, _ in first }
        )
    }
}
